import type { KubeObject, ManagedFieldsEntry } from '../../api/meta.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import { managerIdentity } from './managers.ts';

/**
 * True if the objects differ in nothing but the times of their managedFields: then a write is none, and what is stored
 * stays (rules UPDATE-15, SSA-26). As the times also order the entries, their order does not count either.
 */
export function sameButTimes(a: KubeObject, b: KubeObject): boolean {
  const { metadata: metadataOfA, ...restOfA } = a as JsonObject;
  const { metadata: metadataOfB, ...restOfB } = b as JsonObject;
  const { managedFields: entriesOfA, ...membersOfA } = metadataOfA as JsonObject;
  const { managedFields: entriesOfB, ...membersOfB } = metadataOfB as JsonObject;
  return (
    equalJson(restOfA, restOfB) &&
    equalJson(membersOfA, membersOfB) &&
    equalJson(timeless(entriesOfA as JsonValue | undefined), timeless(entriesOfB as JsonValue | undefined))
  );
}

function timeless(entries: JsonValue | undefined): JsonValue {
  const timelessEntries: JsonObject = {};
  for (const entry of (entries ?? []) as ManagedFieldsEntry[]) {
    const { time: _, ...rest } = entry;
    timelessEntries[managerIdentity({ manager: '', subresource: '', ...entry })] = rest as JsonValue;
  }
  return timelessEntries;
}
