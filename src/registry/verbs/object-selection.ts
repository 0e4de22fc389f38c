import type { CachedObject } from '../cache/cached-object.ts';

/**
 * Decides which objects a list or watch returns: objects of the requested namespace that match the selectors and that
 * the caller may read.
 */
export interface ObjectSelection {
  /** The requested namespace; `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  /** The value that the field selector requires for `metadata.name`; `undefined` if it requires none. */
  readonly name: string | undefined;
  /** Returns a superset of the names that the caller may read; `undefined` if these names are unknown or too many. */
  readonly names: (() => Iterable<string>) | undefined;
  /** True if every object of the namespace matches. Only then may the response contain remainingItemCount (LIST-23). */
  readonly matchesAll: boolean;
  /**
   * Returns a key that is equal for selections with the same result; `undefined` if the selection cannot share a key
   * with another selection.
   */
  groupKey(): string | undefined;
  /** Returns true if an object matches. Use it for an object that will be decoded anyway. */
  matchesDecoded(candidate: CachedObject): boolean;
  /** True if a cached object matches. Decodes the object only if the labels are not sufficient. */
  matches(candidate: CachedObject): boolean;
  /** Returns an estimate of the work that `matches` does, as the number of characters that it reads. */
  cost(candidate: CachedObject): number;
}
