import { isJsonObject, type JsonValue } from '@flotilla/json';

/**
 * Members of components that are ignored in comparisons, because they have no effect: validation reports enums, and no
 * client uses unions.
 */
const ignored = ['description', 'enum', 'x-kubernetes-group-version-kind', 'x-kubernetes-unions'];

/** Removes members that have no effect, and sorts lists whose order has no effect. */
export function comparableComponent(value: JsonValue, areMembers = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => comparableComponent(item));
  if (!isJsonObject(value)) return value;
  // Bytes are a list in Go, but a string in JSON.
  const isText = value.type === 'string';
  const kept = Object.entries(value).filter(
    ([name]) => areMembers || !(ignored.includes(name) || (isText && name === 'x-kubernetes-list-type')),
  );
  const shaped = kept.map(([name, member]): [string, JsonValue] => {
    if (name === 'required' && Array.isArray(member) && !areMembers) return [name, member.toSorted()];
    return [name, comparableComponent(member, name === 'properties' && !areMembers)];
  });
  const { allOf, ...rest } = Object.fromEntries(shaped);
  // A plain reference is equivalent to a reference with only a description next to it.
  if (!areMembers && Array.isArray(allOf) && Object.keys(rest).length === 0) return allOf[0] ?? {};
  return Object.fromEntries(shaped);
}
