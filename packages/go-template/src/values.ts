import { isJsonObject, type JsonValue, sortByBytes } from '@flotilla/json';

export type Value = JsonValue;

/** Throws Error with a description of the problem; the caller adds the position. */
export type TemplateFunction = (...values: Value[]) => Value;

/** True if the value is not empty: `if` treats it as true, and `default` keeps it. */
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

/** Go writes integers plainly, and other numbers below 0.0001 or with more than six digits with an exponent. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  const isPlain = Number.isSafeInteger(value) || (size >= 1e-4 && size < 1e6);
  return isPlain ? String(value) : value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Keys in the order in which Go iterates over a map. */
export function sortedKeys(map: object): string[] {
  return sortByBytes(Object.keys(map));
}

export function typeName(value: Value): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'map' : typeof value;
}
