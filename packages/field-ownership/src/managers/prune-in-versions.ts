import type { JsonValue } from '@flotilla/json';
import { apiVersionOf } from '@flotilla/kubernetes-formats';
import { FieldSet } from '../field-set/field-set.ts';
import type { TrackedKind } from '../tracked-kind.ts';
import type { TrackedObject } from '../tracked-object.ts';
import { pruneAbandoned, restoreOwned } from '../typed/prune-abandoned.ts';
import { shapeOf } from '../typed/shape.ts';
import type { ManagedSet, Managers } from './managers.ts';
import { inVersion, shapeIn } from './versioned-fields.ts';

/**
 * Returns the merged object without the fields that its applier abandoned (`pruneAbandoned`). `last` is the applier's
 * previous entry. If versions have different fields, the fields of each manager are looked up in the version that the
 * manager wrote.
 */
export function pruneInVersions(
  kind: TrackedKind,
  merged: TrackedObject,
  last: ManagedSet,
  managers: Managers,
): JsonValue {
  const own = apiVersionOf(kind);
  if (kind.versions === undefined)
    return pruneAbandoned(shapeOf(kind), merged as JsonValue, last.fields, all(managers));
  const lastVersion = shapeIn(kind, last.apiVersion) === undefined ? own : last.apiVersion;
  const shape = shapeIn(kind, lastVersion) ?? shapeOf(kind);
  const convertedMerged = inVersion(kind, merged, lastVersion);
  const owned = all(managers, lastVersion);
  let pruned = pruneAbandoned(shape, convertedMerged as JsonValue, last.fields, owned) as TrackedObject;
  for (const version of new Set([...managers.values()].map(({ apiVersion }) => apiVersion))) {
    const other = shapeIn(kind, version);
    if (version === lastVersion || other === undefined) continue;
    const before = inVersion(kind, merged, version) as JsonValue;
    const after = inVersion(kind, pruned, version) as JsonValue;
    pruned = inVersion(kind, restoreOwned(other, before, after, all(managers, version)) as TrackedObject, lastVersion);
  }
  return inVersion(kind, pruned, own) as JsonValue;
}

/** Returns the fields of all managers, or only of the managers that wrote `version`. */
function all(managers: Managers, version?: string): FieldSet {
  const found = [...managers.values()].filter(({ apiVersion }) => version === undefined || apiVersion === version);
  return FieldSet.unionOf(found.map(({ fields }) => fields));
}
