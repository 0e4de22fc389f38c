import { StoreError } from './store-error.ts';

/**
 * The key of a row: a slice (the key range of one control plane) and the segments below it. Segments are compared as a
 * whole, so no operation on slice `a` can reach a key of slice `ab`.
 */
export interface Key {
  readonly slice: string;
  readonly segments: readonly string[];
}

/** All keys of a slice whose first segments equal `prefix`. An empty prefix means the whole slice. */
export interface KeyRange {
  readonly slice: string;
  readonly prefix: readonly string[];
}

/**
 * The character that ends each segment of an encoded key. It sorts before all others and must not occur in a segment.
 */
const terminator = '\u0000';

function encode(slice: string, segments: readonly string[]): string {
  let text = encodeSegment(slice);
  for (const segment of segments) text += encodeSegment(segment);
  // An unpaired surrogate cannot be encoded as UTF-8. Keys that differ only in unpaired surrogates would be equal on
  // disk.
  if (!text.isWellFormed()) throw new StoreError('InvalidKey', 'a key segment must be well-formed Unicode');
  return text;
}

function encodeSegment(part: string): string {
  if (part.includes(terminator)) throw new StoreError('InvalidKey', 'a key segment must not contain NUL');
  return part + terminator;
}

/** Returns the text with which every encoded key of the slice starts. */
export function encodeSlice(slice: string): string {
  return encode(slice, []);
}

/**
 * Encodes a key as text: the slice and then each segment, each followed by NUL. The encoding preserves the order of
 * keys. One encoded key is a prefix of another only if the segments of the first are a prefix of those of the second.
 */
export function encodeKey(key: Key): string {
  if (key.segments.length === 0) throw new StoreError('InvalidKey', 'a key must have at least one segment');
  return encode(key.slice, key.segments);
}

export function decodeKey(text: string): Key {
  const parts = text.split(terminator);
  return { slice: parts[0] ?? '', segments: parts.slice(1, -1) };
}

/** Returns a decoder for keys in sorted order. Consecutive keys share the strings of common segments to save memory. */
export function sortedKeyDecoder(): (text: string) => Key {
  /** The encoded text of the previous key, up to its last segment. */
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
 * Returns the encoded keys of a range as a half-open interval [from, to). The end is the prefix with its final NUL
 * replaced by U+0001. The end sorts after all keys that start with the prefix, and before other segments that start
 * with the same characters. All code must use this function to compute the end of a range.
 */
export function encodeRange(range: KeyRange): { from: string; to: string } {
  const from = encode(range.slice, range.prefix);
  return { from, to: `${from.slice(0, -1)}\u0001` };
}

export function isKeyInRange(range: KeyRange, key: Key): boolean {
  return key.slice === range.slice && range.prefix.every((segment, index) => key.segments[index] === segment);
}

/**
 * Compares encoded keys in UTF-8 byte order, the order of lists. JavaScript sorts characters above U+FFFF differently.
 */
export function compareEncodedKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = byteRank(a.charCodeAt(index)) - byteRank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * Returns the rank of a UTF-16 code unit. Surrogates, which encode characters above U+FFFF, rank after U+E000..U+FFFF.
 */
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
