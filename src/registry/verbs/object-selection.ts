import type { KubeObject } from '../../api/meta.ts';
import type { CachedObject } from '../cache/cached-object.ts';

/**
 * The objects that a list or watch returns: those of its namespace that match the selectors and that the caller may
 * read.
 */
export interface Selection {
  /** `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  /** The only name that can match, if a field selector requires one. */
  readonly name: string | undefined;
  /** The only names that can match, if the caller can read few objects. */
  readonly names: (() => Iterable<string>) | undefined;
  /** True if every object of the namespace matches; only then may the remaining items be counted (LIST-23). */
  readonly matchesAll: boolean;
  /** Identifies selections of a kind that match the same objects. `undefined` if this one cannot be shared. */
  groupKey(): string | undefined;
  matchesObject(object: KubeObject): boolean;
  /** Reports whether a cached object matches. Decodes the object only if necessary. */
  matches(candidate: CachedObject): boolean;
  /** The cost of `matches` for the candidate, in characters of text to scan. */
  cost(candidate: CachedObject): number;
}
