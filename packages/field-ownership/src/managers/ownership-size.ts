import { isJsonObject, type JsonValue } from '@flotilla/json';
import type { ManagedFieldsEntry } from '../tracked-object.ts';

/**
 * The maximum length of managedFields to which an apply can still add a manager. Each apply reads and
 * writes the fields of all managers. Real objects have some kilobytes.
 */
export const maxOwnershipLength = 512 * 1024;

/** True if the names of all owned fields together are longer than `maxOwnershipLength`. */
export function isOwnershipLong(entries: readonly ManagedFieldsEntry[]): boolean {
  let left = maxOwnershipLength;
  for (const { fieldsV1 } of entries) {
    left = remainingLength(fieldsV1, left);
    if (left < 0) return true;
  }
  return false;
}

/** Subtracts the length of the names in a FieldsV1 from `remaining`. Stops as soon as the result is negative. */
function remainingLength(fields: JsonValue | undefined, remaining: number): number {
  if (!isJsonObject(fields)) return remaining;
  let left = remaining;
  for (const name in fields) {
    // 6 characters for the quotes, the colon, the braces and the comma.
    left = remainingLength(fields[name], left - name.length - 6);
    if (left < 0) return left;
  }
  return left;
}
