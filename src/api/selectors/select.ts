import { type JsonValue, valueAt } from '@flotilla/json';
import type { KubeObject } from '../meta.ts';
import type { ResourceKind } from '../resource.ts';
import { badRequest } from '../status.ts';
import type { FieldSelector } from './field-selector.ts';
import type { LabelSelector } from './label-selector.ts';

/**
 * Defines how a field selector reads a field whose value is at another path, or which has a value even if the object
 * does not contain it.
 */
interface SelectedField {
  readonly path: readonly string[];
  readonly absent: string;
}

const selectedFields: ReadonlyMap<string, SelectedField> = new Map([
  ['batch/v1 Job status.successful', { path: ['status', 'succeeded'], absent: '0' }],
  ['v1 ReplicationController status.replicas', { path: ['status', 'replicas'], absent: '0' }],
  ['v1 Node spec.unschedulable', { path: ['spec', 'unschedulable'], absent: 'false' }],
  ['v1 Pod spec.hostNetwork', { path: ['spec', 'hostNetwork'], absent: 'false' }],
  ['v1 Pod spec.host', { path: ['spec', 'nodeName'], absent: '' }],
]);

/** Returns a field as text for field selectors. Objects, lists and absent fields are '' (rule SEL-14). */
export function fieldValue(object: KubeObject, field: string): string {
  const selected = selectedFields.get(`${object.apiVersion} ${object.kind} ${field}`);
  const value = valueAt(object as JsonValue, ...(selected?.path ?? field.split('.'))) ?? selected?.absent;
  if (value === undefined || value === null || typeof value === 'object') return '';
  return String(value);
}

/** True if the object matches both selectors. An absent selector matches all objects. */
export function matchesSelectors(
  object: KubeObject,
  labelSelector: LabelSelector | undefined,
  fieldSelector: FieldSelector | undefined,
): boolean {
  return (
    (labelSelector === undefined || labelSelector.matches(object.metadata.labels)) &&
    (fieldSelector === undefined || fieldSelector.matches((field) => fieldValue(object, field)))
  );
}

/** Throws 400 if the field selector contains a field that the kind does not support (rules SEL-09, SEL-10). */
export function checkSelectorFields(
  kind: Pick<ResourceKind, 'namespaced' | 'selectableFields' | 'builtIn'>,
  selector: FieldSelector,
): void {
  // Built-in kinds without selectable fields accept metadata.namespace even if they are cluster-scoped, and they have a
  // different error message.
  const plainBuiltIn = kind.builtIn === true && kind.selectableFields === undefined;
  const hasNamespace = kind.namespaced || plainBuiltIn;
  const known = ['metadata.name', ...(hasNamespace ? ['metadata.namespace'] : []), ...(kind.selectableFields ?? [])];
  const unknown = selector.requirements.find(({ field }) => !known.includes(field));
  if (unknown === undefined) return;
  throw badRequest(
    plainBuiltIn
      ? `"${unknown.field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${unknown.field}`,
  );
}
