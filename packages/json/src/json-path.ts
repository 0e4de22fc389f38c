import { getMember, isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/**
 * A path into a document of unknown shape. The functions below treat a missing value, or one of another type, as
 * absent. Only own members are visible.
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

/** Returns '' if the value is not a string. */
export function textAt(root: JsonValue | undefined, ...path: Path): string {
  const value = valueAt(root, ...path);
  return typeof value === 'string' ? value : '';
}

export function flagAt(root: JsonValue | undefined, ...path: Path): boolean {
  return valueAt(root, ...path) === true;
}

/** Accepts integers of any size; `undefined` for every other type. */
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

/** The strings of a list; other items are skipped. */
export function textsAt(root: JsonValue | undefined, ...path: Path): readonly string[] {
  return listAt(root, ...path).filter((item) => typeof item === 'string');
}
