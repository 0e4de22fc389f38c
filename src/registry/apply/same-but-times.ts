import type { KubeObject, ManagedFieldsEntry } from '../../api/meta.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { managerIdentity } from './managers.ts';

/**
 * True if the objects differ in nothing but the times of their managedFields: then a write is none, and what is stored
 * stays (rules UPDATE-15, SSA-26). As the times also order the entries, their order does not count either.
 */
export function sameButTimes(a: KubeObject, b: KubeObject): boolean {
  return (
    sameBut('metadata', a as JsonObject, b as JsonObject) &&
    sameBut('managedFields', a.metadata as JsonObject, b.metadata as JsonObject) &&
    equalJson(timeless(a.metadata.managedFields), timeless(b.metadata.managedFields))
  );
}

/** Whether all members but that one are equal. */
function sameBut(left: string, a: JsonObject, b: JsonObject): boolean {
  let members = 0;
  for (const name in a) {
    if (name === left) continue;
    if (!Object.hasOwn(b, name) || !equalJson(a[name], b[name])) return false;
    members++;
  }
  for (const name in b) if (name !== left) members--;
  return members === 0;
}

function timeless(entries: readonly ManagedFieldsEntry[] | undefined): JsonValue {
  const timelessEntries: JsonObject = {};
  for (const entry of entries ?? []) {
    const { time: _, ...rest } = entry;
    timelessEntries[managerIdentity({ manager: '', subresource: '', ...entry })] = rest as JsonValue;
  }
  return timelessEntries;
}
