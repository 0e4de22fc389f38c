import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { parseQuantity } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { childPath, keyPath } from '../../../../api/schema/field-path.ts';
import { isUnset, listOf, memberAt, objectAt, textOf } from '../checks.ts';
import { choiceErrors, immutableErrors, invalidStruct } from '../field-rules.ts';
import { changedMembers } from './changed-members.ts';
import { accessModeErrors, classNameErrors, positiveErrors, volumeModes } from './claim-template-rules.ts';
import { classAnnotation, classAnnotationWarning } from './class-annotations.ts';
import { nodeSelectorErrors, nodeSelectorWarnings } from './node-selector-rules.ts';
import { persistentSources, persistentVolumeSource } from './persistent-sources.ts';

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];
const notInline = 'may not be specified in the context of inline volumes';

/** The position of a spec of a persistent volume. */
interface SpecPosition {
  readonly path: string;
  /** The object that contains the spec. */
  readonly root: JsonObject;
  /** True for the spec in a volume attachment. */
  readonly isInline: boolean;
}

/** Returns the errors of a persistent volume's spec. */
export function* volumeSpecErrors(spec: JsonObject, position: SpecPosition): Generator<FieldError> {
  const at = (name: string) => childPath(position.path, name);
  if (position.isInline) yield* inlineErrors(spec, position.path);
  if (isUnset(spec.accessModes ?? undefined)) yield required(at('accessModes'));
  yield* accessModeErrors(spec.accessModes, at('accessModes'));
  if (!position.isInline) yield* capacityErrors(spec.capacity, at('capacity'));
  yield* reclaimPolicyErrors(spec, position);
  yield* nodeAffinityErrors(spec, position);
  yield* persistentVolumeSource(spec, { path: position.path, parent: spec, root: position.root });
  if (isRoot(memberAt(spec, ['hostPath', 'path'])) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    yield forbiddenField(at('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'");
  }
  if (position.isInline) {
    yield* inlineModeErrors(spec, position.path);
    return;
  }
  yield* classNameErrors(spec.storageClassName, at('storageClassName'));
  yield* choiceErrors(at('volumeMode'), spec.volumeMode, volumeModes);
  yield* attributesClassErrors(spec, position.path);
}

function* inlineErrors(spec: JsonObject, path: string): Generator<FieldError> {
  if (isJsonObject(spec.claimRef)) yield forbiddenField(childPath(path, 'claimRef'), notInline);
  if (Object.keys(objectAt(spec, 'capacity')).length > 0) yield forbiddenField(childPath(path, 'capacity'), notInline);
  if (!isJsonObject(spec.csi))
    yield required(childPath(path, 'csi'), 'has to be specified in the context of inline volumes');
}

function* inlineModeErrors(spec: JsonObject, path: string): Generator<FieldError> {
  if (textOf(spec.storageClassName) !== '') yield forbiddenField(childPath(path, 'storageClassName'), notInline);
  if (typeof spec.volumeMode === 'string' && spec.volumeMode !== 'Filesystem') {
    const detail = 'may not specify volumeMode other than Filesystem in the context of inline volumes';
    yield forbiddenField(childPath(path, 'volumeMode'), detail);
  }
}

function* capacityErrors(capacity: JsonValue | undefined, path: string): Generator<FieldError> {
  const amounts = Object.entries(isJsonObject(capacity) ? capacity : {});
  if (amounts.length === 0) yield required(path);
  if (amounts.length !== 1 || amounts[0]?.[0] !== 'storage') yield notSupported(path, capacity, ['storage']);
  for (const [name, amount] of amounts) {
    yield* basicResourceErrors(amount, keyPath(path, name));
    yield* positiveErrors(amount, keyPath(path, name));
  }
}

const unit = 1_000_000_000n;

/** Returns the error of a negative amount. The message shows the amount rounded to a whole number. */
export function basicResourceErrors(amount: JsonValue, path: string): FieldError[] {
  const magnitude = -parseQuantity(String(amount)).billionths;
  if (magnitude <= 0n) return [];
  return [invalid(path, -((magnitude + unit - 1n) / unit), 'must be a valid resource quantity')];
}

function* reclaimPolicyErrors(spec: JsonObject, { path, isInline }: SpecPosition): Generator<FieldError> {
  const policy = textOf(spec.persistentVolumeReclaimPolicy);
  const at = childPath(path, 'persistentVolumeReclaimPolicy');
  if (policy === '') return;
  if (isInline && policy !== 'Retain') yield forbiddenField(at, 'may only be Retain in the context of inline volumes');
  if (!isInline && !reclaimPolicies.includes(policy)) yield notSupported(at, policy, reclaimPolicies);
}

function* nodeAffinityErrors({ nodeAffinity }: JsonObject, { path, isInline }: SpecPosition): Generator<FieldError> {
  if (!isJsonObject(nodeAffinity)) return;
  const at = childPath(path, 'nodeAffinity');
  const selector = nodeAffinity.required;
  if (isInline) yield forbiddenField(at, notInline);
  else if (isJsonObject(selector)) yield* nodeSelectorErrors(selector, childPath(at, 'required'));
  else yield required(childPath(at, 'required'), 'must specify required node constraints');
}

function* attributesClassErrors(spec: JsonObject, path: string): Generator<FieldError> {
  const name = spec.volumeAttributesClassName ?? undefined;
  const at = childPath(path, 'volumeAttributesClassName');
  if (name === undefined) return;
  if (name === '') yield required(at, 'an empty string is disallowed');
  yield* classNameErrors(name, at);
  if (!isJsonObject(spec.csi)) {
    yield required(childPath(path, 'csi'), 'has to be specified when using volumeAttributesClassName');
  }
}

/** True if a path refers to the root directory, for example `/a/..`. */
function isRoot(path: JsonValue | undefined): boolean {
  if (typeof path !== 'string' || !path.startsWith('/')) return false;
  let depth = 0;
  for (const step of path.split('/')) {
    if (step === '..') depth = Math.max(0, depth - 1);
    else if (step !== '' && step !== '.') depth++;
  }
  return depth === 0;
}

const mountOptions = 'volume.beta.kubernetes.io/mount-options';
const withoutMountOptions = [
  'hostPath',
  'flocker',
  'fc',
  'flexVolume',
  'portworxVolume',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

function* mountOptionErrors({ metadata, spec }: KubeObject): Generator<FieldError> {
  const supported = persistentSources.filter((member) => !withoutMountOptions.includes(member));
  if (supported.some((member) => isJsonObject(memberAt(spec as JsonValue, [member])))) return;
  if (metadata.annotations?.[mountOptions] === undefined) return;
  yield forbiddenField(`metadata.annotations.${mountOptions}`, 'may not specify mount options for this volume type');
}

function specErrors(object: KubeObject): Iterable<FieldError> {
  const root = object as JsonObject;
  return volumeSpecErrors(objectAt(root, 'spec'), { path: 'spec', root, isInline: false });
}

export function* volumeErrors(object: KubeObject): Generator<FieldError> {
  yield* specErrors(object);
  yield* mountOptionErrors(object);
}

export function* volumeUpdateErrors(object: KubeObject, old: KubeObject): Generator<FieldError> {
  yield* volumeErrors(object);
  // Kubernetes validates the spec twice, so its errors appear twice.
  yield* specErrors(object);
  const [spec, before] = [objectAt(object as JsonObject, 'spec'), objectAt(old as JsonObject, 'spec')];
  const changed = changedMembers(withOldExpandSecret(spec, before), before, persistentSources);
  if (changed.length > 0) {
    const detail = `spec.persistentvolumesource is immutable after creation\nchanged: ${changed.join(', ')}`;
    yield forbiddenField('spec.persistentvolumesource', detail);
  }
  yield* immutableErrors('volumeMode', spec.volumeMode, before.volumeMode);
  yield* affinityChangeErrors(spec, before);
  const className = 'volumeAttributesClassName';
  if (!isUnset(before[className] ?? undefined) && (spec[className] ?? null) === null) {
    yield forbiddenField(`spec.${className}`, 'update from non-nil value to nil is forbidden');
  }
}

/**
 * Returns an updated spec for comparison with the stored spec. An update may add `controllerExpandSecretRef`, so this
 * member is removed if the stored spec has none.
 */
function withOldExpandSecret(spec: JsonObject, old: JsonObject): JsonObject {
  const secret = 'controllerExpandSecretRef';
  if (!isJsonObject(spec.csi) || !isJsonObject(old.csi) || isJsonObject(old.csi[secret])) return spec;
  const { [secret]: _, ...csi } = spec.csi;
  return { ...spec, csi };
}

const labelsWithoutBeta: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

function affinityChangeErrors({ nodeAffinity = null }: JsonObject, old: JsonObject): FieldError[] {
  if (!isJsonObject(old.nodeAffinity) || isSameAffinity(nodeAffinity, old.nodeAffinity)) return [];
  const detail = 'field is immutable, except for updating from beta label to GA';
  if (!isJsonObject(nodeAffinity)) return [invalid('nodeAffinity', null, detail)];
  return [invalidStruct('nodeAffinity', internalAffinity(nodeAffinity), detail)];
}

/** Returns the affinity with the member names of Kubernetes' internal struct, which the error message contains. */
function internalAffinity(affinity: JsonObject): JsonObject {
  const requirements = (list: JsonValue | undefined): JsonValue =>
    Array.isArray(list)
      ? list.map((one) => ({
          Key: textOf(memberAt(one, ['key'])),
          Operator: textOf(memberAt(one, ['operator'])),
          Values: memberAt(one, ['values']) ?? null,
        }))
      : null;
  const terms = listOf(memberAt(affinity, ['required', 'nodeSelectorTerms'])).map((term) => ({
    MatchExpressions: requirements(memberAt(term, ['matchExpressions'])),
    MatchFields: requirements(memberAt(term, ['matchFields'])),
  }));
  return { Required: isJsonObject(affinity.required) ? { NodeSelectorTerms: terms } : null };
}

/** True if two values are equal, or differ only in beta keys of labels that were replaced by the stable keys. */
function isSameAffinity(value: JsonValue, old: JsonValue): boolean {
  if (Array.isArray(value) && Array.isArray(old)) {
    return value.length === old.length && value.every((item, index) => isSameAffinity(item, old[index] ?? null));
  }
  if (!isJsonObject(value) || !isJsonObject(old)) return equalJson(value, old);
  const names = new Set([...Object.keys(value), ...Object.keys(old)]);
  return [...names].every((name) => {
    const [next = null, before = null] = [value[name], old[name]];
    const isRenamed = name === 'key' && labelsWithoutBeta.get(textOf(before)) === next;
    return isRenamed || isSameAffinity(next, before);
  });
}

const deprecatedAnnotations: ReadonlyMap<string, string> = new Map([
  [classAnnotation, classAnnotationWarning],
  [mountOptions, 'deprecated since v1.31; use "mountOptions" attribute instead'],
]);

const deprecatedSources: ReadonlyMap<string, string> = new Map([
  ['cephfs', 'cephfs: deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO: deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS: deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs: deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd: deprecated in v1.28, non-functional in v1.31+'],
]);

export function volumeWarnings(object: KubeObject): string[] {
  const spec = objectAt(object as JsonObject, 'spec');
  const annotations = [...deprecatedAnnotations].filter(([name]) => object.metadata.annotations?.[name] !== undefined);
  const selector = memberAt(spec, ['nodeAffinity', 'required']);
  const recycle =
    'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...annotations.map(([name, message]) => `metadata.annotations[${name}]: ${message}`),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [recycle] : []),
    ...(isJsonObject(selector) ? nodeSelectorWarnings(selector, 'spec.nodeAffinity.required') : []),
    ...[...deprecatedSources].filter(([name]) => isJsonObject(spec[name])).map(([, text]) => `spec.${text}`),
  ];
}
