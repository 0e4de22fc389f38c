/** Reports whether a text contains characters that take two UTF-16 units (surrogate pairs). */
function hasPairs(text: string): boolean {
  return /[\ud800-\udbff]/.test(text);
}

/** Returns the length of a text in code points, the unit in which CEL counts characters. */
export function codePointCount(text: string): number {
  if (!hasPairs(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns a value that is indexed by code points: the text itself, or an array if it contains surrogate pairs. */
export function byCodePoint(text: string): string | readonly string[] {
  return hasPairs(text) ? [...text] : text;
}

/** Returns a substring. `from` and `to` are positions in code points. */
export function sliceByCodePoint(text: string, from: number, to: number): string {
  const indexed = byCodePoint(text);
  return typeof indexed === 'string' ? indexed.slice(from, to) : indexed.slice(from, to).join('');
}
