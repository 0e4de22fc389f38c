import { StoreError } from './store-error.ts';

/**
 * The address of a value: a slice (the key range of one control plane) and the segments below it. Segments are compared
 * as a whole: no key of slice `a` is reachable through slice `ab` or vice versa, whatever the names.
 */
export interface Key {
  readonly slice: string;
  readonly segments: readonly string[];
}

/** All keys of a slice that equal the prefix or start with its segments. An empty prefix means the whole slice. */
export interface KeyRange {
  readonly slice: string;
  readonly prefix: readonly string[];
}

/** Ends every segment of an encoded key. Not allowed inside a segment; sorts before every other character. */
const terminator = '\u0000';

function encode(slice: string, segments: readonly string[]): string {
  let text = encodeSegment(slice);
  for (const segment of segments) text += encodeSegment(segment);
  // An unpaired surrogate has no UTF-8 form: two keys that differ only in such a surrogate would be the same key on
  // disk.
  if (!text.isWellFormed()) throw new StoreError('InvalidKey', 'a key segment must be well-formed Unicode');
  return text;
}

function encodeSegment(part: string): string {
  if (part.includes(terminator)) throw new StoreError('InvalidKey', 'a key segment must not contain NUL');
  return part + terminator;
}

/** The prefix of every encoded key of the slice. */
export function encodeSlice(slice: string): string {
  return encode(slice, []);
}

/**
 * Encodes a key as order-preserving text: the slice, then each segment, each terminated by NUL. Because of the
 * terminator, one encoded key is a prefix of another only if its segments are.
 */
export function encodeKey(key: Key): string {
  if (key.segments.length === 0) throw new StoreError('InvalidKey', 'a key must have at least one segment');
  return encode(key.slice, key.segments);
}

export function decodeKey(text: string): Key {
  const parts = text.split(terminator);
  return { slice: parts[0] ?? '', segments: parts.slice(1, -1) };
}

/** Returns a decoder for sorted keys. Consecutive keys share the strings of their common segments to save memory. */
export function sortedKeyDecoder(): (text: string) => Key {
  /** The previous key, and its encoded text up to the last segment. */
  let sharedPrefix = '';
  let previous: Key | undefined;
  return (text) => {
    const last = text.lastIndexOf(terminator, text.length - 2) + 1;
    if (previous === undefined || last !== sharedPrefix.length || !text.startsWith(sharedPrefix)) {
      sharedPrefix = text.slice(0, last);
      previous = decodeKey(text);
      return previous;
    }
    const segments = previous.segments.slice();
    segments[segments.length - 1] = text.slice(last, -1);
    return { slice: previous.slice, segments };
  };
}

/**
 * The half-open range [from, to) of encoded keys; the only place that computes the end of a range. The end is the
 * prefix with its final NUL replaced by U+0001. It sorts after every continuation of the prefix and before every other
 * segment that starts with the same characters.
 */
export function encodeRange(range: KeyRange): { from: string; to: string } {
  const from = encode(range.slice, range.prefix);
  return { from, to: `${from.slice(0, -1)}\u0001` };
}

export function inRange(range: KeyRange, key: Key): boolean {
  return key.slice === range.slice && range.prefix.every((segment, index) => key.segments[index] === segment);
}

/** Compares in UTF-8 byte order, the order of lists. JavaScript's order differs for characters above U+FFFF. */
export function compareEncoded(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = byteRank(a.charCodeAt(index)) - byteRank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Orders surrogates (characters above U+FFFF) after U+E000..U+FFFF. */
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
