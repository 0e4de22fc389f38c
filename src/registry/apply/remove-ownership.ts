import { isJsonObject, type JsonObject } from '@flotilla/json';
import type { ManagedFieldsEntry } from '../../api/meta.ts';

/**
 * Removes these members from the field ownership. A value that is accepted but never stored (a key, a password) has no
 * owner: its owner would get a conflict about a value that is not visible.
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
