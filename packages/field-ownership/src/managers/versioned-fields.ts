import { apiVersionOf } from '@flotilla/kubernetes-formats';
import type { TrackedKind } from '../tracked-kind.ts';
import type { TrackedObject } from '../tracked-object.ts';
import type { Comparison } from '../typed/compare.ts';
import { type Shape, shapeOf } from '../typed/shape.ts';

/** Returns the changes of a write as field paths of an API version; `undefined` if the kind has no such version. */
export type ComparisonIn = (apiVersion: string) => Comparison | undefined;

/** Returns the kind in an API version, or `kind` itself if all versions have the same fields. */
function kindInVersion(kind: TrackedKind, apiVersion: string): TrackedKind | undefined {
  return kind.versions === undefined || apiVersion === apiVersionOf(kind) ? kind : kind.versions.find(apiVersion);
}

/** Returns the shape of an API version; `undefined` if the kind has no such version. */
export function shapeIn(kind: TrackedKind, apiVersion: string): Shape | undefined {
  const found = kindInVersion(kind, apiVersion);
  return found && shapeOf(found);
}

/** Converts an object of the kind to an API version. */
export function inVersion<Tracked extends TrackedObject>(
  kind: TrackedKind,
  object: Tracked,
  apiVersion: string,
): TrackedObject {
  return kind.versions === undefined ? object : kind.versions.convert(object, apiVersion);
}

/**
 * Returns a function that compares the objects of a write in a given API version. `own` is the comparison in the
 * version of the write.
 */
export function comparisonsIn(
  kind: TrackedKind,
  own: Comparison,
  compare: (other: TrackedKind, convert: (object: TrackedObject) => TrackedObject) => Comparison,
): ComparisonIn {
  const known = new Map<string, Comparison | undefined>([[apiVersionOf(kind), own]]);
  return (apiVersion) => {
    const other = kindInVersion(kind, apiVersion);
    if (other === kind) return own;
    if (!known.has(apiVersion)) {
      const convert = (object: TrackedObject) => inVersion(kind, object, apiVersion);
      known.set(apiVersion, other === undefined ? undefined : compare(other, convert));
    }
    return known.get(apiVersion);
  };
}
