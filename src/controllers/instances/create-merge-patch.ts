import { equalJson, getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';

/** Returns the JSON merge patch that turns `before` into `after`; `undefined` if they are equal. */
export function createMergePatch(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const name of Object.keys(before)) if (getMember(after, name) === undefined) setMember(patch, name, null);
  for (const [name, desired] of Object.entries(after)) {
    const change = changeBetween(getMember(before, name), desired);
    if (change !== undefined) setMember(patch, name, change);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function changeBetween(before: JsonValue | undefined, after: JsonValue): JsonValue | undefined {
  if (isJsonObject(before) && isJsonObject(after)) return createMergePatch(before, after);
  return before !== undefined && equalJson(before, after) ? undefined : after;
}
