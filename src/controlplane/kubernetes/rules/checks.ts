import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { parseQuantity, subdomainFaults } from '@flotilla/kubernetes-formats';
import { invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../api/selectors/selector-object.ts';
import { validateLabels } from '../../../api/validation/labels.ts';
import { invalidStruct } from './field-rules.ts';
import type { Check } from './object-rules.ts';

/** True for a value that Go does not distinguish from an absent value: no value, '', 0 and an empty list. */
export function isUnset(value: JsonValue | undefined): boolean {
  return value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function objectAt(parent: JsonValue | undefined, name: string): JsonObject {
  const value = isJsonObject(parent) ? parent[name] : undefined;
  return isJsonObject(value) ? value : {};
}

/** Returns the structs in the list `name` of `parent`, each with its path. */
export function itemsAt(parent: JsonObject, name: string, path: string): (readonly [item: JsonObject, path: string])[] {
  const at = childPath(path, name);
  return listOf(parent[name]).flatMap((item, index) =>
    isJsonObject(item) ? [[item, indexPath(at, index)] as const] : [],
  );
}

/** Requires that the value is set. */
export function isRequired(detail = ''): Check {
  return function* (value, { path }) {
    if (isUnset(value)) yield required(path, detail);
  };
}

/** Requires that the value is absent or one of the `allowed` values. */
export function oneOf(...allowed: readonly string[]): Check {
  return function* (value, { path }) {
    if (value !== undefined && !allowed.includes(textOf(value))) yield notSupported(path, value, allowed);
  };
}

/** Requires that the value is present and one of the `allowed` values. */
export function exactlyOneOf(...allowed: readonly string[]): Check {
  return (value, position) => oneOf(...allowed)(value ?? '', position);
}

/** Requires that a text is empty or has no faults. */
export function textWithout(faults: (text: string) => readonly string[]): Check {
  return function* (value, { path }) {
    if (!isUnset(value)) for (const fault of faults(textOf(value))) yield invalid(path, value, fault);
  };
}

/** Requires that a text is absent or has no faults. An empty text is checked, too. */
export function presentTextWithout(faults: (text: string) => readonly string[]): Check {
  return function* (value, { path }) {
    if (value !== undefined) for (const fault of faults(textOf(value))) yield invalid(path, value, fault);
  };
}

/** Requires that a text is set and has no faults. */
export function requiredTextWithout(faults: (text: string) => readonly string[], detail = ''): Check {
  return (value, position) =>
    isUnset(value) ? [required(position.path, detail)] : textWithout(faults)(value, position);
}

export const dnsSubdomain = textWithout(subdomainFaults);

export const labelSelector: Check = (value, { path }) => labelSelectorErrors(value, path);

export const labels: Check = (value, { path }) =>
  isJsonObject(value) ? validateLabels(value as Readonly<Record<string, string>>, path) : [];

export const notNegative: Check = function* (value, { path }) {
  if (numberOf(value) < 0) yield invalid(path, value, 'must be greater than or equal to 0');
};

/** Requires that a number is absent or at least `least`. */
export function atLeast(least: number, detail: string): Check {
  return function* (value, { path }) {
    if (value !== undefined && numberOf(value) < least) yield invalid(path, value, detail);
  };
}

/** Requires that a number is absent or at most `most`. */
export function atMost(most: number, detail: string): Check {
  return function* (value, { path }) {
    if (value !== undefined && numberOf(value) > most) yield invalid(path, value, detail);
  };
}

/** Requires that a number is at least `least`. An absent number counts as 0. */
export function valueAtLeast(least: number, detail: string): Check {
  return (value, position) => atLeast(least, detail)(value ?? 0, position);
}

export const notNegativeQuantity: Check = function* (value, { path }) {
  if (typeof value === 'string' && parseQuantity(value).billionths < 0n) {
    yield invalid(path, value, 'must be greater than or equal to 0');
  }
};

/** Applies the checks to each item of a list. */
export function each(...checks: readonly Check[]): Check {
  return function* (value, position) {
    for (const [index, item] of listOf(value).entries()) {
      for (const check of checks) yield* check(item, { ...position, path: indexPath(position.path, index) });
    }
  };
}

export const fieldIsImmutable = 'field is immutable';

/** Requires that the member at `path` of an updated object equals that member of the stored object. */
export function immutable(...path: readonly string[]): Check {
  return function* (object, { old }) {
    const value = memberAt(object, path);
    if (!equalJson(value ?? null, memberAt(old, path) ?? null)) yield invalid(path.join('.'), value, fieldIsImmutable);
  };
}

/**
 * Requires that the struct at `path` equals that struct of the stored object. The error shows the members in the order
 * of the struct.
 */
export function immutableStruct(...path: readonly string[]): Check {
  return function* (object, { old }) {
    const value = memberAt(object, path);
    if (equalJson(value ?? null, memberAt(old, path) ?? null)) return;
    const at = path.join('.');
    yield isJsonObject(value) ? invalidStruct(at, value, fieldIsImmutable) : invalid(at, value, fieldIsImmutable);
  };
}

export function memberAt(object: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let value = object;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return value ?? undefined;
}
