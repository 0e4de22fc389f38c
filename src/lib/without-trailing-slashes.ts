/**
 * Removes all slashes at the end. A regular expression would take quadratic time for a text with many slashes
 * elsewhere, because it would search for the end of the text from each slash.
 */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
