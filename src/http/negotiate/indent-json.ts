/**
 * Indents compact JSON by two spaces. It processes the text without parsing it, because parsing takes longer and could
 * change large numbers.
 */
export function indentJson(compact: string): string {
  const parts: string[] = [];
  let depth = 0;
  let at = 0;
  while (at < compact.length) {
    const character = compact[at] as string;
    if (character === '"') {
      const end = endOfString(compact, at);
      parts.push(compact.slice(at, end));
      at = end;
      continue;
    }
    at++;
    if (character === '{' || character === '[') {
      const closing = compact[at];
      if (closing === '}' || closing === ']') {
        parts.push(character, closing);
        at++;
      } else {
        depth++;
        parts.push(character, newLine(depth));
      }
    } else if (character === '}' || character === ']') {
      depth--;
      parts.push(newLine(depth), character);
    } else if (character === ',') {
      parts.push(',', newLine(depth));
    } else {
      parts.push(character === ':' ? ': ' : character);
    }
  }
  return parts.join('');
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}
