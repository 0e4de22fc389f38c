import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { parseQuantity, subdomainFaults } from '@flotilla/kubernetes-formats';
import { invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../api/selectors/selector-object.ts';
import { validateLabels } from '../../../api/validation/labels.ts';
import { invalidStruct } from './field-rules.ts';
import type { Check } from './object-rules.ts';

/** True for a value that Go does not distinguish from an absent one: no value, '', 0 and an empty list. */
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

/** The value must be set. */
export function isRequired(detail = ''): Check {
  return function* (value, { path }) {
    if (isUnset(value)) yield required(path, detail);
  };
}

/** The value, if it is present, must be one of those that are `allowed`. */
export function oneOf(...allowed: readonly string[]): Check {
  return function* (value, { path }) {
    if (value !== undefined && !allowed.includes(textOf(value))) yield notSupported(path, value, allowed);
  };
}

/** The value must be one of those that are `allowed`. It may not be absent. */
export function exactlyOneOf(...allowed: readonly string[]): Check {
  return (value, position) => oneOf(...allowed)(value ?? '', position);
}

/** A text that is not empty must have no faults. */
export function textWithout(faults: (text: string) => readonly string[]): Check {
  return function* (value, { path }) {
    if (!isUnset(value)) for (const fault of faults(textOf(value))) yield invalid(path, value, fault);
  };
}

/** A text that is present must have no faults, even if it is empty. */
export function presentTextWithout(faults: (text: string) => readonly string[]): Check {
  return function* (value, { path }) {
    if (value !== undefined) for (const fault of faults(textOf(value))) yield invalid(path, value, fault);
  };
}

/** A text must be set and have no faults. */
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

/** A number, if it is present, must be at least `least`. */
export function atLeast(least: number, detail: string): Check {
  return function* (value, { path }) {
    if (value !== undefined && numberOf(value) < least) yield invalid(path, value, detail);
  };
}

/** A number, if it is present, must be at most `most`. */
export function atMost(most: number, detail: string): Check {
  return function* (value, { path }) {
    if (value !== undefined && numberOf(value) > most) yield invalid(path, value, detail);
  };
}

/** A number must be at least `least`. An absent number is 0. */
export function valueAtLeast(least: number, detail: string): Check {
  return (value, position) => atLeast(least, detail)(value ?? 0, position);
}

export const notNegativeQuantity: Check = function* (value, { path }) {
  if (typeof value === 'string' && parseQuantity(value).billionths < 0n) {
    yield invalid(path, value, 'must be greater than or equal to 0');
  }
};

/** Checks each item of a list. */
export function each(...checks: readonly Check[]): Check {
  return function* (value, position) {
    for (const [index, item] of listOf(value).entries()) {
      for (const check of checks) yield* check(item, { ...position, path: indexPath(position.path, index) });
    }
  };
}

export const fieldIsImmutable = 'field is immutable';

/** The member at `path` of an updated object must equal that of the stored object. */
export function immutable(...path: readonly string[]): Check {
  return function* (object, { old }) {
    const value = memberAt(object, path);
    if (!equalJson(value ?? null, memberAt(old, path) ?? null)) yield invalid(path.join('.'), value, fieldIsImmutable);
  };
}

/** The struct at `path` must equal that of the stored object. The message shows its members in their order. */
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
