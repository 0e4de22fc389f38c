import { compareBytes, type JsonObject, type JsonValue } from '@flotilla/json';

/** Formats a JSON value like Go's `%v`, for messages that must equal those of kube-apiserver. */
export function printGo(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printGo).join(' ')}]`;
  if (typeof value === 'object') {
    return `map[${sortedMembers(value)
      .map(([name, member]) => `${name}:${printGo(member)}`)
      .join(' ')}]`;
  }
  return String(value);
}

/** Formats a JSON value like Go's `%#v`, that is, as Go source code. */
export function printGoSource(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(printGoSource).join(', ')}}`;
  if (typeof value === 'object') {
    return `map[string]interface {}{${sortedMembers(value)
      .map(([name, member]) => `${JSON.stringify(name)}:${printGoSource(member)}`)
      .join(', ')}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Returns the type of a JSON value as Go's `%T` prints it. */
export function goTypeOf(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}

function sortedMembers(value: JsonObject): [string, JsonValue][] {
  return Object.entries(value).sort(([a], [b]) => compareBytes(a, b));
}
