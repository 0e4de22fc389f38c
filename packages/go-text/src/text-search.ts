/**
 * The maximum length of a text that is searched for with the JavaScript engine. Up to this length, the search of the
 * engine takes linear time. For longer texts, it can take quadratic time.
 */
const maxNativeLength = 200;

/** Returns the offset of the first occurrence at or after `from`; -1 if there is none. */
export type TextSearch = (text: string, from: number) => number;

/** Creates a search for a text that takes linear time in every text, like Go's `strings.Index`. */
export function createTextSearch(part: string): TextSearch {
  if (part.length <= maxNativeLength) return (text, from) => text.indexOf(part, from);
  const borders = bordersOf(part);
  return (text, from) => {
    for (const at of occurrences(text, { part, borders, from })) return at;
    return -1;
  };
}

/** Returns the offset of the last occurrence that starts at or before `from`; -1 if there is none. */
export function lastIndexOfText(text: string, part: string, from = text.length): number {
  if (part.length <= maxNativeLength) return text.lastIndexOf(part, from);
  let last = -1;
  for (const at of occurrences(text, { part, borders: bordersOf(part), from: 0 })) {
    if (at > from) break;
    last = at;
  }
  return last;
}

/** Splits a text at all occurrences of another one, which must not be empty. */
export function splitText(text: string, separator: string): string[] {
  if (separator.length <= maxNativeLength) return text.split(separator);
  const search = createTextSearch(separator);
  const parts: string[] = [];
  let start = 0;
  for (let at = search(text, 0); at >= 0; at = search(text, start)) {
    parts.push(text.slice(start, at));
    start = at + separator.length;
  }
  parts.push(text.slice(start));
  return parts;
}

interface Search {
  readonly part: string;
  /** The result of `bordersOf` for the text that is searched for. */
  readonly borders: Int32Array;
  readonly from: number;
}

/** Yields the offsets of all occurrences, including those that overlap. */
function* occurrences(text: string, { part, borders, from }: Search): Generator<number> {
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched++;
    if (matched < part.length) continue;
    yield at + 1 - matched;
    matched = borders[matched - 1] ?? 0;
  }
}

/**
 * Returns the table of the Knuth-Morris-Pratt algorithm. For each prefix of a text, it contains the length of the
 * longest proper prefix that is also a suffix of that prefix.
 */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const code = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}
