import type { JsonValue } from '../../lib/json-value.ts';

/** What Go's JSON decoder calls a value of the wrong type; stands in error messages. */
export function jsonTypeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
