import { getMember, isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/**
 * A path into a JSON document whose structure is unknown. The functions below treat a value that is missing or has
 * another type as absent. They do not see inherited properties.
 */
export type Path = readonly (string | number)[];

export function valueAt(root: JsonValue | undefined, ...path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) {
    if (Array.isArray(value)) value = typeof step === 'number' ? value[step] : undefined;
    else if (isJsonObject(value)) value = getMember(value, String(step));
    else return undefined;
  }
  return value;
}

/** Returns the string at the path; '' if there is no string. */
export function textAt(root: JsonValue | undefined, ...path: Path): string {
  const value = valueAt(root, ...path);
  return typeof value === 'string' ? value : '';
}

export function flagAt(root: JsonValue | undefined, ...path: Path): boolean {
  return valueAt(root, ...path) === true;
}

/** Returns the number at the path; `undefined` if there is none. Integers beyond 2^53 are rounded. */
export function numberAt(root: JsonValue | undefined, ...path: Path): number | undefined {
  const value = valueAt(root, ...path);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

export function objectAt(root: JsonValue | undefined, ...path: Path): JsonObject | undefined {
  const value = valueAt(root, ...path);
  return isJsonObject(value) ? value : undefined;
}

export function listAt(root: JsonValue | undefined, ...path: Path): readonly JsonValue[] {
  const value = valueAt(root, ...path);
  return Array.isArray(value) ? value : [];
}

/** Returns the strings of the list at the path. Omits other items. */
export function textsAt(root: JsonValue | undefined, ...path: Path): readonly string[] {
  return listAt(root, ...path).filter((item) => typeof item === 'string');
}
