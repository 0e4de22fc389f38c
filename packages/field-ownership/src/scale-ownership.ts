import type { JsonValue } from '@flotilla/json';
import { apiVersionOf } from '@flotilla/kubernetes-formats';
import type { FieldSet } from './field-set/field-set.ts';
import { fromFieldsV1 } from './field-set/fields-v1.ts';
import { type ManagedSet, type Managers, readManagers, writeManagers } from './managers/managers.ts';
import type { ManagedFieldsEntry } from './tracked-object.ts';

/** A kind whose objects have a Scale. */
export interface ScaleParent {
  readonly group: string;
  readonly version: string;
  /** The path of the replica count in objects of this kind. */
  readonly replicasPath: readonly string[];
}

const scaleVersion = { group: 'autoscaling', version: 'v1' };
const replicasInScale = fieldAt(['spec', 'replicas']);

function fieldAt(path: readonly string[]): FieldSet {
  return fromFieldsV1(path.reduceRight<JsonValue>((below, name) => ({ [`f:${name}`]: below }), {}));
}

/**
 * Returns the managedFields of a Scale. The owners of the Scale are the owners of the replica count of the scaled
 * object.
 */
export function scaleOwnership(entries: JsonValue | undefined, parent: ScaleParent): ManagedFieldsEntry[] {
  const path = fieldAt(parent.replicasPath);
  const owners = [...(readManagers(entries, parent.group) ?? new Map<string, ManagedSet>())]
    .filter(([, { fields }]) => fields.includes(path))
    .map(([identity, managed]): [string, ManagedSet] => [
      identity,
      { ...managed, apiVersion: apiVersionOf(scaleVersion), fields: replicasInScale },
    ]);
  return writeManagers(new Map(owners));
}

/**
 * Returns the managedFields of an object after a write of its Scale. `scaleEntries` are the managedFields of the Scale.
 * As in Kubernetes, each owner of the Scale gets an entry without a time. An owner that has applied the replica count
 * to the object keeps its entry.
 */
export function ownershipAfterScale(
  entries: JsonValue | undefined,
  scaleEntries: JsonValue | undefined,
  parent: ScaleParent,
): ManagedFieldsEntry[] {
  const path = fieldAt(parent.replicasPath);
  const owners = readManagers(scaleEntries, scaleVersion.group) ?? new Map<string, ManagedSet>();
  const managers: Managers = new Map();
  for (const [identity, managed] of readManagers(entries, parent.group) ?? []) {
    if (!managed.fields.includes(path)) managers.set(identity, managed);
    // Only Apply entries can match here, because the identity of any other entry contains the API version.
    else if (owners.has(identity)) {
      managers.set(identity, managed);
      owners.delete(identity);
    } else {
      const fields = managed.fields.difference(path);
      if (!fields.isEmpty) managers.set(identity, { ...managed, fields });
    }
  }
  for (const [identity, { manager, operation, subresource, fields }] of owners) {
    if (!fields.includes(replicasInScale)) continue;
    managers.set(identity, { manager, operation, subresource, apiVersion: apiVersionOf(parent), fields: path });
  }
  return writeManagers(managers);
}
