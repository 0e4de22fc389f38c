import { FieldSet } from './field-set/field-set.ts';
import { fieldElement } from './field-set/path-element.ts';
import type { TrackedKind } from './tracked-kind.ts';
import type { Comparison } from './typed/compare.ts';

function path(...names: string[]): ReturnType<typeof fieldElement>[] {
  return names.map(fieldElement);
}

/** Fields that never have an owner, because only the server sets them or they identify the object (rule SSA-21). */
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
const allOfSpec = FieldSet.of(path('spec'));

/**
 * Returns a filter that keeps the fields that a write can change. Through `/status`, these are the status and, for some
 * kinds, the metadata. Through the main endpoint, they are all fields except the status (rules SSA-33, STATUS-06).
 */
export function writableFields(kind: TrackedKind, subresource: string): (fields: FieldSet) => FieldSet {
  const reset = kind.resetFields?.[subresource];
  if (reset !== undefined) {
    const unwritten = FieldSet.of(...reset.map((names) => path(...names)));
    return (fields) => fields.recursiveDifference(unwritten);
  }
  if (subresource === 'status' && kind.statusWritesMetadata === true) {
    const kept = kind.statusKeepsMetadata ?? [];
    const unwritten =
      kept.length === 0 ? allOfSpec : FieldSet.of(path('spec'), ...kept.map((name) => path('metadata', name)));
    return (fields) => fields.recursiveDifference(unwritten);
  }
  if (subresource === 'status') return (fields) => fields.only(status);
  return kind.hasStatus ? (fields) => fields.recursiveDifference(allOfStatus) : (fields) => fields;
}

/** True if a write can change this member of the object, or a part of it (see `writableFields`). */
export function isWritableMember(kind: TrackedKind, subresource: string, name: string): boolean {
  const reset = kind.resetFields?.[subresource];
  if (reset !== undefined) return !reset.some((names) => names.length === 1 && names[0] === name);
  if (subresource !== 'status') return !(kind.hasStatus && name === 'status');
  return name === 'status' || (kind.statusWritesMetadata === true && name !== 'spec');
}

export function filterComparison(comparison: Comparison, filter: (fields: FieldSet) => FieldSet): Comparison {
  return {
    added: filter(comparison.added),
    modified: filter(comparison.modified),
    removed: filter(comparison.removed),
  };
}
