/** Reports whether the text has characters that UTF-16 encodes as two units. */
function hasPairs(text: string): boolean {
  return /[\ud800-\udbff]/.test(text);
}

/** The number of characters of a text, as CEL counts: code points. */
export function codePointCount(text: string): number {
  if (!hasPairs(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The text in a form that is indexed by code points; the text itself if that is the same. */
export function byCodePoint(text: string): string | readonly string[] {
  return hasPairs(text) ? [...text] : text;
}

/** A substring by code points. */
export function sliceByCodePoint(text: string, from: number, to: number): string {
  const indexed = byCodePoint(text);
  return typeof indexed === 'string' ? indexed.slice(from, to) : indexed.slice(from, to).join('');
}
