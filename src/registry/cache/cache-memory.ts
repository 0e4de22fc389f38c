import type { CachedObject } from './cached-object.ts';

/** Measured memory in bytes: per empty cache, per object without its text, and per character of a decoded object. */
const bytesPerCache = 6144;
const bytesPerObject = 256;
const bytesPerDecoded = 5;

/** Returns the memory of stored texts in bytes. `size` is their total length in characters. */
export function textBytes(objects: number, size: number): number {
  return objects * bytesPerObject + size;
}

/**
 * Returns the memory of a cache in bytes. `ofTexts` is in bytes; the sizes of recent changes and of decoded objects are
 * in characters.
 */
export function cacheBytes(ofTexts: number, recentSize: number, decodedSize: number): number {
  return bytesPerCache + ofTexts + recentSize + bytesPerDecoded * decodedSize;
}

/**
 * Returns the part of an object's size that counts as memory of its cache. This part is 0 for an unchanged built-in
 * object, because all planes share the object.
 */
export function heldSize(object: CachedObject): number {
  return object.rowRevision === undefined ? 0 : object.size;
}
