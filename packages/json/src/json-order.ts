const beyondBasicPlane = /[\ud800-\udfff]/;

/**
 * Compares strings by their UTF-8 bytes, as Go does. JavaScript compares UTF-16 code units. The results differ only
 * between characters beyond U+FFFF and characters from U+E000 to U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  if (beyondBasicPlane.test(a) || beyondBasicPlane.test(b)) return compareCodePoints(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) {
    if (a.charCodeAt(at) === b.charCodeAt(at)) continue;
    return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
  }
  return a.length - b.length;
}

/**
 * Sorts strings by their UTF-8 bytes, in place. Short lists are the common case and use insertion sort, which is
 * several times faster than `sort`, especially if the list is already sorted.
 */
export function sortByBytes(texts: string[]): string[] {
  if (texts.some((text) => beyondBasicPlane.test(text))) return texts.sort(compareCodePoints);
  if (texts.length > 16) return texts.sort();
  for (let at = 1; at < texts.length; at++) {
    const text = texts[at] as string;
    let hole = at;
    for (; hole > 0 && (texts[hole - 1] as string) > text; hole--) texts[hole] = texts[hole - 1] as string;
    texts[hole] = text;
  }
  return texts;
}
