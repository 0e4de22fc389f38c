import type { JsonValue } from '@flotilla/json';

/** Returns the name that the error messages of Go's JSON decoder use for the type of a value. */
export function goJsonTypeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
