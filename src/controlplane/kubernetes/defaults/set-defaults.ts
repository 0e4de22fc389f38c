import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';

/** Sets members that are absent or have the zero value of their Go type. */
export function setIfZero(object: JsonObject, defaults: JsonObject): void {
  for (const [name, value] of Object.entries(defaults)) {
    const given = object[name] ?? '';
    if (given === '' || given === 0 || given === false) object[name] = value;
  }
}

/** Sets members that are absent. These members are pointers in Go, so an absent member differs from a zero value. */
export function setIfAbsent(object: JsonObject, defaults: JsonObject): void {
  for (const [name, value] of Object.entries(defaults)) object[name] ??= value;
}

/** Returns a member that is an object. Creates it if it is absent. */
export function objectMember(parent: JsonObject, name: string): JsonObject {
  const given = parent[name];
  if (isJsonObject(given)) return given;
  const made: JsonObject = {};
  parent[name] ??= made;
  return made;
}

/** Returns a member that is an object; `undefined` if it is absent or of another type. */
export function objectOf(parent: JsonObject | undefined, name: string): JsonObject | undefined {
  const given = parent?.[name];
  return isJsonObject(given) ? given : undefined;
}

/** Returns the objects in a list. */
export function itemsOf(parent: JsonObject | undefined, name: string): JsonObject[] {
  const given = parent?.[name];
  return Array.isArray(given) ? given.filter(isJsonObject) : [];
}

export function isEmptyList(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
