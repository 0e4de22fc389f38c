import { cloneJson, type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { type FieldError, notSupported, required } from '../../../../../api/field-error.ts';
import type { KubeObject } from '../../../../../api/meta.ts';
import { badRequest, conflict, invalidObject, StatusError } from '../../../../../api/status.ts';
import type { RequestContext } from '../../../../../registry/context.ts';
import type { KindStore } from '../../../../../registry/kind-store.ts';
import type { MountedSubresource } from '../../../../../registry/mounted-resource.ts';
import type { ServedObject, WriteOptions } from '../../../../../registry/verbs.ts';
import type { StoreOf } from '../admission/refuse-pod.ts';
import { topologyLabelsOf } from '../admission/scheduling-admission.ts';
import { bindingKind, successStatus } from './request-kinds.ts';

/**
 * The maximum number of attempts to write a pod. An attempt fails if another client changes the pod at the same time.
 */
const maxAttempts = 10;

/** Assigns a pod to a node. The caller is a scheduler of the tenant. */
async function bindPod(
  { pods, storeOf }: { readonly pods: KindStore; readonly storeOf: StoreOf },
  context: RequestContext,
  { name, sent: unmutated }: { readonly name: string; readonly sent: KubeObject },
  options: WriteOptions,
): Promise<ServedObject> {
  const { dryRun } = options;
  const request = { operation: 'CREATE', subresource: 'binding', requestKind: bindingKind, context, dryRun } as const;
  const sent = await pods.mutateRequest({ ...request, object: unmutated });
  if (sent.metadata.name !== name) throw badRequest('name in URL does not match name in Binding object');
  const { resourceVersion = '' } = sent.metadata;
  const errors = targetErrors(sent as JsonValue);
  if (errors.length > 0) throw invalidObject(bindingKind, name, errors);
  await pods.admitRequest({ ...request, object: sent });
  const nodeName = textAt(sent as JsonValue, 'target', 'name');
  const topology = topologyLabelsOf(storeOf('nodes')?.peek('', nodeName)?.object);
  for (let attempt = 1; ; attempt++) {
    const { object: current } = await pods.verbs.get(context, name, { resourceVersion: '' });
    refuseBound(current);
    const next = boundPod(current, sent, nodeName, topology);
    try {
      const { managedFields: ownership = [] } = current.metadata;
      await pods.verbs.update(context, name, next, { ...options, subresource: 'binding', ownership });
      return successStatus();
    } catch (error) {
      const isConflict = error instanceof StatusError && error.status.reason === 'Conflict';
      if (!isConflict || resourceVersion !== '' || attempt === maxAttempts) throw error;
    }
  }
}

function targetErrors(binding: JsonValue): FieldError[] {
  const kind = textAt(binding, 'target', 'kind');
  return [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(textAt(binding, 'target', 'name') === '' ? [required('target.name')] : []),
  ];
}

/** Throws 409 if the pod cannot be assigned to a node. */
function refuseBound(pod: KubeObject): void {
  const { name = '', deletionTimestamp } = pod.metadata;
  const node = textAt(pod as JsonValue, 'spec', 'nodeName');
  const refuse = (reason: string) => conflict({ group: '', resource: 'pods/binding' }, name, `pod ${name} ${reason}`);
  if (deletionTimestamp !== undefined) throw refuse('is being deleted, cannot be assigned to a host');
  if (node !== '') throw refuse(`is already assigned to node ${JSON.stringify(node)}`);
  if (listAt(pod as JsonValue, 'spec', 'schedulingGates').length > 0) {
    throw refuse('has non-empty .spec.schedulingGates');
  }
}

function boundPod(
  current: KubeObject,
  { metadata: sent }: KubeObject,
  nodeName: string,
  topology: Readonly<Record<string, string>>,
): KubeObject {
  const next = cloneJson(current);
  const { metadata } = next;
  metadata.annotations = { ...metadata.annotations, ...sent.annotations };
  metadata.labels = { ...metadata.labels, ...sent.labels, ...topology };
  if ((sent.uid ?? '') !== '') metadata.uid = sent.uid ?? '';
  if ((sent.resourceVersion ?? '') !== '') metadata.resourceVersion = sent.resourceVersion ?? '';
  const pod = next as JsonObject;
  pod.spec = { ...(pod.spec as JsonObject), nodeName };
  return next;
}

/** The subresource `pods/<name>/binding`. */
export function bindingSubresource(pods: KindStore, storeOf: StoreOf): MountedSubresource {
  return {
    kind: bindingKind,
    verbs: {
      createNamed: (context, name, sent, options) => bindPod({ pods, storeOf }, context, { name, sent }, options),
    },
  };
}
