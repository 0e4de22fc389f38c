import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { isWholeQuantity, parseQuantity, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, notSupported } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { keyPath } from '../../../../api/schema/field-path.ts';
import { memberAt, objectAt, textOf } from '../checks.ts';
import { immutableErrors } from '../field-rules.ts';
import { isNative } from '../resource-checks.ts';
import { changedMembers } from './changed-members.ts';
import { claimSpecErrors } from './claim-template-rules.ts';
import { classAnnotation, classAnnotationWarning } from './class-annotations.ts';
import { basicResourceErrors } from './persistent-volume-rules.ts';

export function specOf(object: KubeObject): JsonObject {
  return objectAt(object as JsonObject, 'spec');
}

/** Returns the requested size of a claim; 0 if it is absent. */
export function requestedSize(claim: KubeObject): bigint {
  return amountAt(claim, ['spec', 'resources', 'requests', 'storage']);
}

function amountAt(claim: KubeObject, path: readonly string[]): bigint {
  const amount = memberAt(claim as JsonObject, path);
  return typeof amount === 'string' ? parseQuantity(amount).billionths : 0n;
}

export function claimErrors(claim: KubeObject): Iterable<FieldError> {
  return claimSpecErrors(specOf(claim), 'spec');
}

export function* claimUpdateErrors(claim: KubeObject, old: KubeObject): Generator<FieldError> {
  const [spec, before] = [specOf(claim), specOf(old)];
  const hasGroup = ['dataSource', 'dataSourceRef'].some((name) => memberAt(before, [name, 'apiGroup']) !== undefined);
  yield* claimSpecErrors(spec, 'spec', { isGroupChecked: !hasGroup });
  yield* annotationErrors(claim, old);
  yield* specChangeErrors(claim, old);
  yield* sizeErrors(claim, old);
  yield* immutableErrors('volumeMode', spec.volumeMode, before.volumeMode);
  yield* attributesClassErrors(claim, old);
}

/**
 * True if an update sets the field of a claim to the class that the annotation names. Such an update may remove the
 * annotation.
 */
function isMovedToField(claim: KubeObject, old: KubeObject): boolean {
  const annotation = old.metadata.annotations?.[classAnnotation];
  const next = claim.metadata.annotations?.[classAnnotation];
  const hadField = (specOf(old).storageClassName ?? null) !== null;
  if (annotation === undefined || hadField || specOf(claim).storageClassName !== annotation) return false;
  return next === undefined || next === annotation;
}

function* annotationErrors(claim: KubeObject, old: KubeObject): Generator<FieldError> {
  const [next = '', before = ''] = [claim, old].map(({ metadata }) => metadata.annotations?.[classAnnotation]);
  if (isMovedToField(claim, old) || next === before) return;
  yield invalid(`metadata.annotations.${classAnnotation}`, next, 'field is immutable');
}

/** True if an update sets the class for the first time. */
function isFirstClass(claim: KubeObject, old: KubeObject): boolean {
  const name = specOf(claim).storageClassName ?? null;
  if (name === null || (specOf(old).storageClassName ?? null) !== null) return false;
  const annotation = old.metadata.annotations?.[classAnnotation];
  return annotation === undefined || annotation === name;
}

const members = [
  'accessModes',
  'selector',
  'resources',
  'volumeName',
  'storageClassName',
  'volumeMode',
  'dataSource',
  'dataSourceRef',
  'volumeAttributesClassName',
];

function* specChangeErrors(claim: KubeObject, old: KubeObject): Generator<FieldError> {
  const [next, before] = [{ ...specOf(claim) }, { ...specOf(old) }];
  const isBound = memberAt(claim as JsonObject, ['status', 'phase']) === 'Bound';
  const isAllowed: Readonly<Record<string, boolean>> = {
    volumeName: textOf(before.volumeName) === '',
    storageClassName: isMovedToField(claim, old) || isFirstClass(claim, old),
    volumeAttributesClassName: isBound,
  };
  next.resources = comparableAmounts(next.resources, isBound);
  before.resources = comparableAmounts(before.resources, isBound);
  const changed = changedMembers(next, before, members).filter((name) => isAllowed[name] !== true);
  if (changed.length === 0) return;
  const detail =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  yield forbiddenField('spec', `${detail}\nchanged: ${changed.join(', ')}`);
}

/**
 * Returns amounts in a form for comparison, which does not depend on their notation. Omits the storage size if the
 * claim is bound, because the size of a bound claim may change.
 */
function comparableAmounts(resources: JsonValue | undefined, isBound: boolean): JsonObject {
  const amountsOf = (name: string) =>
    Object.entries(objectAt(resources, name)).map(([key, amount]) => [key, parseQuantity(String(amount)).billionths]);
  const requests = amountsOf('requests').filter(([key]) => !isBound || key !== 'storage');
  return { requests: Object.fromEntries(requests), limits: Object.fromEntries(amountsOf('limits')) };
}

function* sizeErrors(claim: KubeObject, old: KubeObject): Generator<FieldError> {
  const size = requestedSize(claim);
  if (size >= requestedSize(old) || size > amountAt(old, ['status', 'capacity', 'storage'])) return;
  yield forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity');
}

function* attributesClassErrors(claim: KubeObject, old: KubeObject): Generator<FieldError> {
  const name = specOf(claim).volumeAttributesClassName ?? null;
  const before = specOf(old).volumeAttributesClassName ?? null;
  const current = memberAt(old as JsonObject, ['status', 'currentVolumeAttributesClassName']);
  if (name === before || current === undefined || (name !== null && name !== '')) return;
  const value = name === null ? 'nil' : 'empty string';
  const detail = `update to ${value} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  yield forbiddenField('spec.volumeAttributesClassName', detail);
}

const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

export function* claimStatusErrors(claim: KubeObject): Generator<FieldError> {
  const status = objectAt(claim as JsonObject, 'status');
  for (const [name, amount] of Object.entries(objectAt(status, 'capacity'))) {
    yield* basicResourceErrors(amount, keyPath('status.capacity', name));
  }
  const statesPath = 'status.allocatedResourceStatuses';
  for (const [name, state] of Object.entries(objectAt(status, 'allocatedResourceStatuses'))) {
    yield* resourceKeyErrors(name, statesPath);
    if (!resizeStates.includes(textOf(state))) yield notSupported(statesPath, name, resizeStates);
  }
  const path = 'status.allocatedResources';
  for (const [name, amount] of Object.entries(objectAt(status, 'allocatedResources'))) {
    const errors = resourceKeyErrors(name, path);
    yield* errors;
    if (errors.length === 0) yield* basicResourceErrors(amount, keyPath(path, name));
  }
}

function resourceKeyErrors(name: string, path: string): FieldError[] {
  const faults = qualifiedNameFaults(name);
  if (faults.length > 0) return faults.map((fault) => invalid(path, name, fault));
  return isNative(name) && name !== 'storage' ? [notSupported(path, name, ['storage'])] : [];
}

export function claimWarnings({ metadata, ...claim }: KubeObject): string[] {
  const isDeprecated = metadata.annotations?.[classAnnotation] !== undefined;
  return [
    ...(isDeprecated ? [`metadata.annotations[${classAnnotation}]: ${classAnnotationWarning}`] : []),
    ...['requests', 'limits'].flatMap((name) => {
      const amount = memberAt(claim as JsonObject, ['spec', 'resources', name, 'storage']);
      if (typeof amount !== 'string' || isWholeQuantity(parseQuantity(amount))) return [];
      const path = keyPath(`spec.resources.${name}`, 'storage');
      return [`${path}: fractional byte value "${amount}" is invalid, must be an integer`];
    }),
  ];
}

const snapshotGroup = 'snapshot.storage.k8s.io';

/**
 * Makes `dataSource` and `dataSourceRef` equal. Removes sources of unknown kinds from `dataSource`, and sources in
 * other namespaces, because Kubernetes does not enable these by default.
 */
export function normalizeDataSources(claim: KubeObject, old: KubeObject | undefined): void {
  const spec = claim.spec;
  if (!isJsonObject(spec as JsonValue)) return;
  const next = spec as JsonObject;
  const before = old === undefined ? {} : specOf(old);
  const hasNamespace = textOf(memberAt(next, ['dataSourceRef', 'namespace'])) !== '';
  if (hasNamespace && !isJsonObject(before.dataSourceRef)) delete next.dataSourceRef;
  const hadSource = isJsonObject(before.dataSource) || isJsonObject(before.dataSourceRef);
  if (!hadSource && !isJsonObject(next.dataSourceRef) && !isKnownSource(next.dataSource)) delete next.dataSource;
  copySource(next);
}

function isKnownSource(source: JsonValue | undefined): boolean {
  if (!isJsonObject(source)) return false;
  const group = textOf(source.apiGroup);
  if (group === '') return source.kind === 'PersistentVolumeClaim';
  return group === snapshotGroup && source.kind === 'VolumeSnapshot';
}

function copySource(spec: JsonObject): void {
  const { dataSource, dataSourceRef } = spec;
  const copyOf = ({ apiGroup = null, kind = '', name = '' }: JsonObject): JsonObject => ({
    ...(apiGroup === null ? {} : { apiGroup }),
    kind,
    name,
  });
  if (isJsonObject(dataSource) && !isJsonObject(dataSourceRef)) spec.dataSourceRef = copyOf(dataSource);
  else if (isJsonObject(dataSourceRef) && !isJsonObject(dataSource) && textOf(dataSourceRef.namespace) === '') {
    spec.dataSource = copyOf(dataSourceRef);
  }
}
