import { isJsonObject, type JsonValue, sortByBytes } from '@flotilla/json';

export type Value = JsonValue;

/**
 * A function that templates can call. Throws Error with a description; the caller adds the position in the template.
 */
export type TemplateFunction = (...values: Value[]) => Value;

/** Reports whether a value counts as true in templates. Null, false, 0, '' and empty lists and maps count as false. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Formats a value as Go's `%v` does. */
export function formatValue(value: Value): string {
  return value === null ? '<no value>' : inner(value);
}

function inner(value: Value): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return `[${value.map(inner).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  return `map[${sortedKeys(value)
    .map((key) => `${key}:${inner(value[key] ?? null)}`)
    .join(' ')}]`;
}

/** Formats a number like Go: integers without an exponent, others with one if they are below 0.0001 or from 1e6 on. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  const isPlain = Number.isSafeInteger(value) || (size >= 1e-4 && size < 1e6);
  return isPlain ? String(value) : value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Returns the keys of a map in the order in which Go templates iterate over it. */
export function sortedKeys(map: object): string[] {
  return sortByBytes(Object.keys(map));
}

export function typeName(value: Value): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'map' : typeof value;
}
