import { getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';

/**
 * Returns a copy of the object with a new value at a path. Creates missing objects on the path. The value `undefined`
 * removes the member at the path, and then all objects on the path that become empty.
 */
export function setAt(object: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return object;
  const inner = getMember(object, name);
  const next = rest.length === 0 ? value : setAt(isJsonObject(inner) ? inner : {}, rest, value);
  const isEmpty = next === undefined || (value === undefined && isJsonObject(next) && Object.keys(next).length === 0);
  const copy: JsonObject = {};
  let isSet = false;
  for (const key of Object.keys(object)) {
    if (key !== name) setMember(copy, key, object[key] as JsonValue);
    else if (!isEmpty) {
      setMember(copy, name, next);
      isSet = true;
    }
  }
  if (!isSet && !isEmpty) setMember(copy, name, next);
  return copy;
}
