import { isJsonObject, type JsonValue } from '@flotilla/json';
import type { ScaleSubresource } from '../../api/apiextensions/definition.ts';
import { type FieldError, invalid } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';

const maxReplicas = 2_147_483_647;

/** The value at a path of the scale subresource, or the reason why it cannot be read. */
export type ScaleValue<T> = { readonly value: T | undefined } | { readonly fault: string };

/** Splits a path such as `.spec.replicas` into its segments. */
export function pathSegments(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

export function replicasAt(object: KubeObject, path: string): ScaleValue<number> {
  const found = valueBelow(object, pathSegments(path));
  if ('fault' in found || found.value === undefined) return found as ScaleValue<number>;
  const { value } = found;
  if (typeof value === 'bigint') return { value: Number(value) };
  return typeof value === 'number' && Number.isInteger(value) ? { value } : mismatch(path, value, 'int64');
}

export function selectorAt(object: KubeObject, path: string): ScaleValue<string> {
  const found = valueBelow(object, pathSegments(path));
  if ('fault' in found || found.value === undefined) return found as ScaleValue<string>;
  const { value } = found;
  return typeof value === 'string' ? { value } : mismatch(path, value, 'string');
}

/** Returns the error message of Go's `unstructured` package for a value of a wrong type. */
function mismatch(path: string, value: JsonValue, wanted: string): { fault: string } {
  return {
    fault: `${path} accessor error: ${formatted(value)} is of the type ${goType(value)}, expected ${wanted}`,
  };
}

function valueBelow(object: KubeObject, path: readonly string[]): ScaleValue<JsonValue> {
  let value: JsonValue = object as JsonValue;
  for (const name of path) {
    if (!isJsonObject(value)) {
      return mismatch(`.${path.join('.')}`, value, 'map[string]interface{}');
    }
    const member: JsonValue | undefined = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined) return { value: undefined };
    value = member;
  }
  return { value };
}

function formatted(value: JsonValue): string {
  if (value === null) return '<nil>';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'string':
      return 'string';
    default:
      return 'map[string]interface {}';
  }
}

export function scaleSpecErrors({ specReplicasPath = '' }: ScaleSubresource, object: KubeObject): FieldError[] {
  return replicaErrors(specReplicasPath, object);
}

export function scaleStatusErrors(scale: ScaleSubresource, object: KubeObject): FieldError[] {
  const errors = replicaErrors(scale.statusReplicasPath ?? '', object);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined) return errors;
  const selector = selectorAt(object, labelSelectorPath);
  return 'fault' in selector ? [...errors, invalid(labelSelectorPath, '', selector.fault)] : errors;
}

function replicaErrors(path: string, object: KubeObject): FieldError[] {
  const found = replicasAt(object, path);
  if ('fault' in found) return [invalid(path, 0, found.fault)];
  const { value = 0 } = found;
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
  return value > maxReplicas ? [invalid(path, value, `should be less than or equal to ${maxReplicas}`)] : [];
}
