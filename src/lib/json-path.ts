import { getMember, isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/**
 * Reads and writes inside documents whose shape is not known yet: whatever is missing or of another type counts as
 * absent. Only own members are seen.
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

/** '' for whatever is not a string. */
export function textAt(root: JsonValue | undefined, ...path: Path): string {
  const value = valueAt(root, ...path);
  return typeof value === 'string' ? value : '';
}

export function flagAt(root: JsonValue | undefined, ...path: Path): boolean {
  return valueAt(root, ...path) === true;
}

/** Integers of any size that JSON can carry; undefined for everything else. */
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

/** The strings of a list; its other items are passed over. */
export function textsAt(root: JsonValue | undefined, ...path: Path): readonly string[] {
  return listAt(root, ...path).filter((item) => typeof item === 'string');
}
