import { flagAt, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { parseQuantity } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../../api/resource.ts';
import { forbidden } from '../../../api/status.ts';
import type { AdmissionAttributes } from '../../../registry/admission-attributes.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { requestedSize, specOf } from '../rules/volumes/claim-rules.ts';
import { classAnnotation, defaultClassAnnotations } from '../rules/volumes/class-annotations.ts';

type StoreOf = (resourceKey: string) => KindStore | undefined;

const storageClasses = 'storageclasses.storage.k8s.io';

function isClaim({ group, plural }: Pick<ResourceKind, 'group' | 'plural'>): boolean {
  return group === '' && plural === 'persistentvolumeclaims';
}

function classOf(claim: KubeObject): string | undefined {
  const { storageClassName } = specOf(claim);
  const annotation = claim.metadata.annotations?.[classAnnotation];
  return annotation ?? (typeof storageClassName === 'string' ? storageClassName : undefined);
}

/** Sets the storage class of a new claim that names no class: the newest of the default classes. */
export function setDefaultClass(resource: ResourceKind, claim: KubeObject, storeOf: StoreOf): void {
  if (!isClaim(resource) || classOf(claim) !== undefined) return;
  const spec = objectAt(claim as JsonValue, 'spec');
  if (spec === undefined) return;
  let found: KubeObject | undefined;
  for (const { object } of storeOf(storageClasses)?.peekAll() ?? []) {
    const isDefault = defaultClassAnnotations.some((name) => object.metadata.annotations?.[name] === 'true');
    if (isDefault && (found === undefined || hasPriority(object, found))) found = object;
  }
  if (found?.metadata.name !== undefined) spec.storageClassName = found.metadata.name;
}

/** True if a class is newer than another class, or has the same age and comes first in the order of names. */
function hasPriority({ metadata }: KubeObject, { metadata: other }: KubeObject): boolean {
  const [time = '', otherTime = ''] = [metadata.creationTimestamp, other.creationTimestamp];
  return time === otherTime ? (metadata.name ?? '') < (other.name ?? '') : time > otherTime;
}

/**
 * Throws 403 if a claim exceeds the limits of its namespace, or if its size grows although its class does not allow
 * that.
 */
export function admitClaim(write: AdmissionAttributes, storeOf: StoreOf): void {
  const { operation, resource, subresource, draft } = write;
  if (operation === 'DELETE' || subresource !== '' || !isClaim(resource)) return;
  const old = draft.old?.object;
  const fault =
    (old?.metadata.deletionTimestamp === undefined ? limitFault(draft.object, storeOf) : undefined) ??
    (old === undefined ? undefined : growthFault(draft.object, old, storeOf));
  if (fault !== undefined) throw forbidden(groupResourceOf(resource), draft.object.metadata.name ?? '', fault);
}

/** The maximum number of broken limits in an error message. A limit range can have very many. */
const maxFaults = 100;

function limitFault(claim: KubeObject, storeOf: StoreOf): string | undefined {
  const namespace = claim.metadata.namespace ?? '';
  for (const { object } of storeOf('limitranges')?.peekAll(namespace) ?? []) {
    const limits = listAt(object as JsonValue, 'spec', 'limits');
    const faults = limits.flatMap((limit) =>
      textAt(limit, 'type') === 'PersistentVolumeClaim'
        ? [...rangeFaults(limit, 'min', claim), ...rangeFaults(limit, 'max', claim)]
        : [],
    );
    if (faults.length > 0) return faults.length === 1 ? faults[0] : `[${faults.slice(0, maxFaults).join(', ')}]`;
  }
  return undefined;
}

function rangeFaults(limit: JsonValue, bound: 'min' | 'max', claim: KubeObject): string[] {
  const boundName = bound === 'min' ? 'minimum' : 'maximum';
  return Object.entries(objectAt(limit, bound) ?? {}).flatMap(([name, amount]) => {
    const rule = `${boundName} ${name} usage per PersistentVolumeClaim is ${amount}`;
    const requested = textAt(claim as JsonValue, 'spec', 'resources', 'requests', name);
    if (requested === '') return [`${rule}.  No request is specified`];
    const difference = parseQuantity(requested).billionths - parseQuantity(String(amount)).billionths;
    const isBroken = bound === 'min' ? difference < 0n : difference > 0n;
    return isBroken ? [`${rule}, but request is ${requested}`] : [];
  });
}

function growthFault(claim: KubeObject, old: KubeObject, storeOf: StoreOf): string | undefined {
  if (requestedSize(claim) <= requestedSize(old)) return undefined;
  if (textAt(old as JsonValue, 'status', 'phase') !== 'Bound') {
    return 'Only bound persistent volume claims can be expanded';
  }
  const name = classOf(claim) ?? '';
  const storageClass = name === '' ? undefined : storeOf(storageClasses)?.peek('', name)?.object;
  const isAllowed = name === classOf(old) && flagAt(storageClass as JsonObject | undefined, 'allowVolumeExpansion');
  if (isAllowed) return undefined;
  return 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
}
