/**
 * Removes all slashes at the end. For a text with many slashes elsewhere, a regular expression would take quadratic
 * time, because it would search from each slash to the end of the text.
 */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
