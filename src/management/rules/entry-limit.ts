import type { JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../api/field-error.ts';

/**
 * The maximum number of entries of a list of permissions: its items, and the items of all lists inside them. Requests
 * read such lists to authorize callers, and a list request reads one list for each object.
 */
const maxEntries = 1_000;

/**
 * Returns an error for a list of permissions that has too many entries. Returns no error if the stored list, `old`, has
 * at least as many entries as the new list.
 */
export function entryLimitErrors(value: JsonValue | undefined, field: string, old?: JsonValue): FieldError[] {
  const entries = entriesIn(value ?? null);
  if (entries <= maxEntries || entries <= entriesIn(old ?? null)) return [];
  return [forbiddenField(field, `may have at most ${maxEntries} entries in all its lists, but has ${entries}`)];
}

function entriesIn(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let entries = 0;
  if (Array.isArray(value)) {
    entries = value.length;
    for (const item of value) if (typeof item === 'object') entries += entriesIn(item);
  } else for (const name in value) entries += entriesIn(value[name] ?? null);
  return entries;
}
