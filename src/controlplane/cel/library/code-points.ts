/** Whether there are characters that UTF-16 writes as two units. */
function hasPairs(text: string): boolean {
  return /[\ud800-\udbff]/.test(text);
}

/** How many characters a text has, as CEL counts: code points. */
export function codePoints(text: string): number {
  if (!hasPairs(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The text as something that indexes by code points; the text itself where that is the same. */
export function byCodePoint(text: string): string | readonly string[] {
  return hasPairs(text) ? [...text] : text;
}

/** A part of it by code points. */
export function partOf(text: string, from: number, to: number): string {
  const indexed = byCodePoint(text);
  return typeof indexed === 'string' ? indexed.slice(from, to) : indexed.slice(from, to).join('');
}
