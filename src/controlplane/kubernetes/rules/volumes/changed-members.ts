import { equalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import { isUnset } from '../checks.ts';

/** Returns the names of the given members whose values differ. */
export function changedMembers(object: JsonObject, old: JsonObject, names: readonly string[]): string[] {
  return names.filter((name) => !isSame(object[name] ?? undefined, old[name] ?? undefined));
}

function isSame(value: JsonValue | undefined, old: JsonValue | undefined): boolean {
  return (isUnset(value) && isUnset(old)) || equalJson(value ?? null, old ?? null);
}
