import { goTypeOf, printGo } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { type StatusError, unprocessable } from '../../api/status.ts';

/*
 * Values that a strategic merge patch adds where none existed lose their nulls and directives.
 */

export function withoutNulls(change: JsonValue): JsonValue {
  if (Array.isArray(change)) return change.map(withoutNulls);
  if (!isJsonObject(change)) return change;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(change)) if (member !== null) setMember(kept, name, withoutNulls(member));
  return kept;
}

/** An object with a directive adds nothing where there is nothing to apply the directive to. */
export function withoutDirectives(change: JsonValue): JsonValue {
  if (Array.isArray(change)) return change.filter((item) => !hasPatchDirective(item)).map(withoutDirectives);
  if (!isJsonObject(change)) return change;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(change)) {
    if (!hasPatchDirective(member)) setMember(kept, name, withoutDirectives(member));
  }
  return kept;
}

/** True if a value has a `$patch` directive: any, or the given one. */
export function hasPatchDirective(value: JsonValue, directive?: 'delete' | 'replace'): boolean {
  if (!isJsonObject(value) || !Object.hasOwn(value, '$patch')) return false;
  return directive === undefined || value.$patch === directive;
}

/** Formats like Go's `%s`, which marks values that are not strings. */
export function printGoString(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return value === null ? '%!s(<nil>)' : `%!s(${goTypeOf(value)}=${printGo(value)})`;
}

export function unexpectedType(expected: string, value: JsonValue): StatusError {
  return unprocessable(`expected a ${expected}, but received a ${value === null ? '%!s(<nil>)' : goTypeOf(value)}`);
}
