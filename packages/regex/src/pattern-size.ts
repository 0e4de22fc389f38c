const repetition = /\{(\d+)(?:,(\d*))?\}/y;
const escapeWithBraces = /\\[pPx]\{[^}]*\}?/y;

/**
 * Estimates the number of instructions that a regular expression (RE2) is compiled to, without compiling it. A
 * repetition such as `x{60}` is compiled to 60 copies, so a short pattern can have millions of instructions.
 */
export function patternSize(pattern: string): number {
  /** The sizes of the groups that are not closed yet. */
  const open: number[] = [];
  let total = 0;
  let last = 0;
  const add = (size: number) => {
    total += size;
    last = size;
  };
  for (let at = 0; at < pattern.length; ) {
    const end = atomEnd(pattern, at);
    const character = pattern[at];
    const copies = character === '{' ? copiesAt(pattern, at) : undefined;
    if (copies !== undefined) {
      total += last * (copies - 1);
      last *= copies;
      at = repetition.lastIndex;
      continue;
    }
    if (character === '(') {
      open.push(total);
      total = 0;
      last = 0;
    } else if (character === ')') {
      const inner = total + 2;
      total = open.pop() ?? 0;
      add(inner);
    } else add(end - at > 1 && pattern.startsWith('\\Q', at) ? end - at : 1);
    at = end;
  }
  return open.reduce((sum, size) => sum + size, total);
}

/** Returns the number of copies that the repetition at an offset makes; `undefined` if there is no repetition. */
function copiesAt(pattern: string, offset: number): number | undefined {
  repetition.lastIndex = offset;
  const found = repetition.exec(pattern);
  if (found === null) return undefined;
  // A repetition without a maximum, such as `x{2,}`, is compiled to the minimum number of copies plus one copy that
  // repeats.
  const [, least = '0', most] = found;
  return Math.max(1, Number(least) + (most === '' ? 1 : 0), Number(most ?? 0));
}

/** Returns the offset after the character, escape sequence, quotation or character class at an offset. */
function atomEnd(pattern: string, offset: number): number {
  if (pattern[offset] === '[') return classEnd(pattern, offset);
  if (pattern[offset] !== '\\') return offset + 1;
  if (pattern[offset + 1] === 'Q') {
    const end = pattern.indexOf('\\E', offset + 2);
    return end === -1 ? pattern.length : end + 2;
  }
  escapeWithBraces.lastIndex = offset;
  return escapeWithBraces.test(pattern) ? escapeWithBraces.lastIndex : offset + 2;
}

function classEnd(pattern: string, offset: number): number {
  const start = offset + (pattern[offset + 1] === '^' ? 2 : 1);
  for (let at = start; at < pattern.length; at++) {
    // The first character may be a bracket that does not end the class.
    if (pattern[at] === ']' && at > start) return at + 1;
    if (pattern[at] === '\\') at++;
    else if (pattern.startsWith('[:', at)) {
      const end = pattern.indexOf(':]', at + 2);
      if (end !== -1) at = end + 1;
    }
  }
  return pattern.length;
}
