import type { JsonValue } from '@flotilla/json';

/** The name that Go's JSON decoder uses for the type of a value in error messages. */
export function jsonTypeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
