import type { ResourceKind } from '../../api/resource.ts';
import type { StoredResource } from '../resource.ts';
import type { Comparison } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** The properties of a kind that field tracking needs. */
export type TrackedKind = ResourceKind & Pick<StoredResource, 'hasStatus'>;

function path(...names: string[]): ReturnType<typeof fieldElement>[] {
  return names.map(fieldElement);
}

/** Fields that only the server sets, or that identify the object: they have no manager (rule SSA-21). */
export const untracked = FieldSet.of(
  path('apiVersion'),
  path('kind'),
  path('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => path('metadata', name)),
);

export function withoutUntracked(fields: FieldSet): FieldSet {
  return fields.difference(untracked);
}

const status = fieldElement('status');
const allOfStatus = FieldSet.of([status]);

/**
 * Filters the fields that a write through an endpoint can change: through `/status` the status, through the main
 * endpoint everything else (rules SSA-33, STATUS-06).
 */
export function writableFields(kind: TrackedKind, subresource: string): (fields: FieldSet) => FieldSet {
  if (subresource === 'status') return (fields) => fields.only(status);
  return kind.hasStatus ? (fields) => fields.recursiveDifference(allOfStatus) : (fields) => fields;
}

export function filterComparison(comparison: Comparison, filter: (fields: FieldSet) => FieldSet): Comparison {
  return {
    added: filter(comparison.added),
    modified: filter(comparison.modified),
    removed: filter(comparison.removed),
  };
}
