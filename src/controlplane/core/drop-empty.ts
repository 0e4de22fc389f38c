import { isJsonObject, type JsonObject } from '@flotilla/json';

/**
 * Removes the given members from an object if they are empty. Kubernetes omits empty members, too (`omitempty` in its
 * Go types).
 */
export function dropEmpty(object: JsonObject, members: readonly string[]): void {
  for (const member of members) {
    const value = object[member];
    const isEmpty =
      value === '' ||
      (Array.isArray(value) && value.length === 0) ||
      (isJsonObject(value) && Object.keys(value).length === 0);
    if (isEmpty) delete object[member];
  }
}
