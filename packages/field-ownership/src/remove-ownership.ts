import { isJsonObject, type JsonObject } from '@flotilla/json';
import type { ManagedFieldsEntry } from './tracked-object.ts';

/**
 * Removes the given paths from the field ownership. Used for values that are accepted but never stored, such as keys
 * and passwords. If such a field had an owner, a later apply could conflict with a value that nobody can see.
 */
export function removeOwnership(
  entries: readonly ManagedFieldsEntry[] | undefined,
  paths: readonly (readonly string[])[],
): ManagedFieldsEntry[] | undefined {
  return entries
    ?.map((entry) => ({ ...entry, fieldsV1: paths.reduce<JsonObject>(without, entry.fieldsV1) }))
    .filter((entry) => Object.keys(entry.fieldsV1).length > 0);
}

function without(fields: JsonObject, path: readonly string[]): JsonObject {
  const [first, ...rest] = path;
  const member = `f:${first}`;
  const inner = fields[member];
  if (!isJsonObject(inner)) return fields;
  const { [member]: _, ...others } = fields;
  if (rest.length === 0) return others;
  const remaining = without(inner, rest);
  return Object.keys(remaining).length === 0 ? others : { ...others, [member]: remaining };
}
