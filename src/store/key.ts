import { StoreError } from './store-error.ts';

/**
 * Where a value lies: a slice (one control plane's share of the store) and the segments below it. Segments are
 * compared whole: no key of slice `a` can be reached through slice `ab` or the other way round, whatever the names.
 */
export interface Key {
  readonly slice: string;
  readonly segments: readonly string[];
}

/** All keys of a slice whose first segments are these (or that are just these). No segments: the whole slice. */
export interface KeyRange {
  readonly slice: string;
  readonly prefix: readonly string[];
}

/** Ends every segment in the encoded form, and may stand in none: it sorts before every other character. */
const terminator = '\u0000';

function encode(slice: string, segments: readonly string[]): string {
  let text = encodePart(slice);
  for (const segment of segments) text += encodePart(segment);
  // Half of a surrogate pair has no UTF-8 form: two keys that differ only in such halves would become one on disk.
  if (!text.isWellFormed()) throw new StoreError('InvalidKey', 'a key segment must be well-formed Unicode');
  return text;
}

function encodePart(part: string): string {
  if (part.includes(terminator)) throw new StoreError('InvalidKey', 'a key segment may not contain NUL');
  return part + terminator;
}

/** What the encoded form of every key of the slice begins with. */
export function encodeSlice(slice: string): string {
  return encode(slice, []);
}

/**
 * The order-preserving text form: slice, then each segment, each closed by NUL. Because every segment is closed,
 * the text of one key is a prefix of another's only if its segments are.
 */
export function encodeKey(key: Key): string {
  if (key.segments.length === 0) throw new StoreError('InvalidKey', 'a key has at least one segment');
  return encode(key.slice, key.segments);
}

export function decodeKey(text: string): Key {
  const parts = text.split(terminator);
  return { slice: parts[0] ?? '', segments: parts.slice(1, -1) };
}

/** Decodes keys that follow each other in order: what one has in common with the key before it is there once. */
export function keysInOrder(): (text: string) => Key {
  /** Of the key before: its text up to the last segment, and what that says. */
  let beginning = '';
  let before: Key | undefined;
  return (text) => {
    const last = text.lastIndexOf(terminator, text.length - 2) + 1;
    if (before === undefined || last !== beginning.length || !text.startsWith(beginning)) {
      beginning = text.slice(0, last);
      before = decodeKey(text);
      return before;
    }
    const segments = before.segments.slice();
    segments[segments.length - 1] = text.slice(last, -1);
    return { slice: before.slice, segments };
  };
}

/**
 * The half-open range [from, to) of encoded keys; the only place where the end of a range is made. The end is the
 * prefix with its closing NUL raised to U+0001, which lies after everything that continues the prefix and before
 * every other segment that begins alike.
 */
export function encodeRange(range: KeyRange): { from: string; to: string } {
  const from = encode(range.slice, range.prefix);
  return { from, to: `${from.slice(0, -1)}\u0001` };
}

export function inRange(range: KeyRange, key: Key): boolean {
  return key.slice === range.slice && range.prefix.every((segment, index) => key.segments[index] === segment);
}

/** The order of lists: that of the UTF-8 bytes, which differs from JavaScript's for characters beyond U+FFFF. */
export function compareEncoded(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = byteRank(a.charCodeAt(index)) - byteRank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Moves surrogates (which stand for characters beyond U+FFFF) behind U+E000..U+FFFF. */
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
