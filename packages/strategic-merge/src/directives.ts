import { goTypeOf, printGo } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { UnmergeablePatchError } from './patch-error.ts';

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

/**
 * Removes all objects that contain a `$patch` directive. Used for values that a patch adds and the original does not
 * have, because directives then have nothing to change.
 */
export function withoutDirectives(change: JsonValue): JsonValue {
  if (Array.isArray(change)) return change.filter((item) => !hasPatchDirective(item)).map(withoutDirectives);
  if (!isJsonObject(change)) return change;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(change)) {
    if (!hasPatchDirective(member)) setMember(kept, name, withoutDirectives(member));
  }
  return kept;
}

/** True if a value contains the given `$patch` directive, or any `$patch` directive if `directive` is absent. */
export function hasPatchDirective(value: JsonValue, directive?: 'delete' | 'replace'): boolean {
  if (!isJsonObject(value) || !Object.hasOwn(value, '$patch')) return false;
  return directive === undefined || value.$patch === directive;
}

/** Formats a value like `%s` in Go: a value that is not a string is printed with its type, as in `%!s(float64=1)`. */
export function printGoString(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return value === null ? '%!s(<nil>)' : `%!s(${goTypeOf(value)}=${printGo(value)})`;
}

export function unexpectedType(expected: string, value: JsonValue): UnmergeablePatchError {
  const received = value === null ? '%!s(<nil>)' : goTypeOf(value);
  return new UnmergeablePatchError(`expected a ${expected}, but received a ${received}`);
}
