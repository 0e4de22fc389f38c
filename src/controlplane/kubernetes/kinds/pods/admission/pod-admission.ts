import { isJsonObject, type JsonObject } from '@flotilla/json';
import type { KubeObject } from '../../../../../api/meta.ts';
import type { ResourceKind } from '../../../../../api/resource.ts';
import type { AdmissionAttributes } from '../../../../../registry/admission-attributes.ts';
import { admitAccount, admitEphemeralContainers } from './account-admission.ts';
import { checkLimits, setDefaultLimits } from './limit-admission.ts';
import { admitPriority } from './priority-admission.ts';
import type { StoreOf } from './refuse-pod.ts';
import { admitRuntimeClass, checkOverhead } from './runtime-class-admission.ts';
import { tolerateFailingNodes, topologyLabelsOf } from './scheduling-admission.ts';

function isPod({ group, plural }: Pick<ResourceKind, 'group' | 'plural'>): boolean {
  return group === '' && plural === 'pods';
}

/** Completes a new pod as the admission of Kubernetes does, in place. Throws 403 if the pod is refused. */
export function completeNewPod(resource: ResourceKind, object: KubeObject, storeOf: StoreOf): void {
  if (!isPod(resource)) return;
  const pod = object as JsonObject;
  const spec = isJsonObject(pod.spec) ? pod.spec : {};
  pod.spec = spec;
  setDefaultLimits(object, spec, storeOf);
  admitAccount(object, spec, storeOf);
  admitPriority(object, spec, storeOf);
  tolerateFailingNodes(pod);
  admitRuntimeClass(object, spec, storeOf);
  const node = typeof spec.nodeName === 'string' ? storeOf('nodes')?.peek('', spec.nodeName)?.object : undefined;
  const labels = topologyLabelsOf(node);
  if (Object.keys(labels).length > 0) object.metadata.labels = { ...object.metadata.labels, ...labels };
}

/** Throws 403 if a pod violates the limits of its namespace or the rules of its service account or runtime class. */
export function admitPod(write: AdmissionAttributes, storeOf: StoreOf): void {
  const { operation, resource, subresource, requestKind, draft } = write;
  if (!isPod(resource) || requestKind !== undefined || operation === 'DELETE') return;
  const { object, old } = draft;
  if (operation === 'CREATE') {
    checkLimits(object, storeOf);
    checkOverhead(object, storeOf);
  } else if (subresource === 'ephemeralcontainers') admitEphemeralContainers(object, storeOf);
  else if (subresource === 'resize' && old?.object.metadata.deletionTimestamp === undefined) {
    checkLimits(object, storeOf);
  }
}
