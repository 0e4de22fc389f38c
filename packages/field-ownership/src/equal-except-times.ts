import { equalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import { managerIdentity } from './managers/managers.ts';
import type { ManagedFieldsEntry, TrackedObject } from './tracked-object.ts';

/**
 * True if two objects differ only in the timestamps of their managedFields. The write then changes nothing, and the
 * server keeps the stored object (rules UPDATE-15, SSA-26). The order of the entries is ignored, because it depends on
 * the timestamps.
 */
export function equalExceptTimes(a: TrackedObject, b: TrackedObject): boolean {
  return (
    equalExcept('metadata', a as JsonObject, b as JsonObject) &&
    equalExcept('managedFields', a.metadata as JsonObject, b.metadata as JsonObject) &&
    equalJson(withoutTimes(a.metadata.managedFields), withoutTimes(b.metadata.managedFields))
  );
}

/** True if all members are equal except the member `ignored`. */
function equalExcept(ignored: string, a: JsonObject, b: JsonObject): boolean {
  let members = 0;
  for (const name in a) {
    if (name === ignored) continue;
    if (!Object.hasOwn(b, name) || !equalJson(a[name], b[name])) return false;
    members++;
  }
  for (const name in b) if (name !== ignored) members--;
  return members === 0;
}

function withoutTimes(entries: readonly ManagedFieldsEntry[] | undefined): JsonValue {
  const byManager: JsonObject = {};
  for (const entry of entries ?? []) {
    const { time: _, ...rest } = entry;
    byManager[managerIdentity({ manager: '', subresource: '', ...entry })] = rest as JsonValue;
  }
  return byManager;
}
