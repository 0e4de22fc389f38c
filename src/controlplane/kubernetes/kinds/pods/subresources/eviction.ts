import { cloneJson, isJsonObject, type JsonObject, type JsonValue, objectAt, textAt } from '@flotilla/json';
import { type KubeObject, timestamp } from '../../../../../api/meta.ts';
import { badRequest, conflict, StatusError } from '../../../../../api/status.ts';
import { deleteOptionsFromBody } from '../../../../../http/request/delete-options.ts';
import type { RequestContext } from '../../../../../registry/context.ts';
import type { KindStore } from '../../../../../registry/kind-store.ts';
import type { MountedSubresource } from '../../../../../registry/mounted-resource.ts';
import type { DeleteOptions, ServedObject, WriteOptions } from '../../../../../registry/verbs.ts';
import { systemContext } from '../../../../system-context.ts';
import type { StoreOf } from '../admission/refuse-pod.ts';
import { setPodCondition } from '../pod-conditions.ts';
import { budgetOf, isReady, stillProcessed, takeDisruption } from './disruption-budgets.ts';
import { evictionKind, successStatus } from './request-kinds.ts';

interface EvictionStores {
  readonly pods: KindStore;
  readonly storeOf: StoreOf;
}

const maxAttempts = 10;
const newest = { resourceVersion: '' };

/** The subresource `pods/<name>/eviction`: deletes a pod if its disruption budget allows that. */
export function evictionSubresource(stores: EvictionStores): MountedSubresource {
  return {
    kind: evictionKind,
    verbs: { createNamed: (context, name, sent, options) => evict(stores, context, { name, sent, options }) },
  };
}

interface EvictionRequest {
  readonly name: string;
  readonly sent: KubeObject;
  readonly options: WriteOptions;
}

async function evict(
  stores: EvictionStores,
  context: RequestContext,
  { name, sent: unmutated, options }: EvictionRequest,
): Promise<ServedObject> {
  const request = { operation: 'CREATE', subresource: 'eviction', requestKind: evictionKind, context } as const;
  const sent = await stores.pods.mutateRequest({ ...request, object: unmutated, dryRun: options.dryRun });
  if (sent.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  const deletion = deleteOptionsOf(sent, options);
  const { resourceVersion } = deletion.preconditions;
  const { dryRun } = deletion;
  await stores.pods.admitRequest({ ...request, object: sent, dryRun });
  for (let attempt = 1; ; attempt++) {
    const { object: pod } = await stores.pods.verbs.get(context, name, newest);
    try {
      await evictPod(stores, context, pod, deletion);
      return successStatus();
    } catch (error) {
      const isConflict = error instanceof StatusError && error.status.reason === 'Conflict';
      if (!isConflict || resourceVersion !== undefined || attempt === maxAttempts) throw error;
    }
  }
}

function deleteOptionsOf(sent: KubeObject, { dryRun }: WriteOptions): DeleteOptions {
  const body = objectAt(sent as JsonValue, 'deleteOptions') ?? {};
  const { options } = deleteOptionsFromBody(body, evictionKind);
  return dryRun ? { ...options, dryRun } : options;
}

/**
 * True if the removal of a pod cannot disrupt an application, because the pod does not serve requests of the
 * application.
 */
function needsNoBudget(pod: KubeObject): boolean {
  const phase = textAt(pod as JsonValue, 'status', 'phase');
  return pod.metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(phase);
}

async function evictPod(
  { pods, storeOf }: EvictionStores,
  { namespace }: RequestContext,
  pod: KubeObject,
  deletion: DeleteOptions,
): Promise<void> {
  const phase = textAt(pod as JsonValue, 'status', 'phase');
  const { resourceVersion = '', deletionTimestamp } = pod.metadata;
  const unchanged: DeleteOptions = {
    ...deletion,
    preconditions: { resourceVersion, ...deletion.preconditions },
  };
  if (needsNoBudget(pod)) {
    const isFinal = deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed';
    await remove(pods, namespace, pod, isFinal ? deletion : unchanged);
    return;
  }
  const budget = budgetOf(pod, storeOf);
  if (budget === undefined) {
    await remove(pods, namespace, pod, deletion);
    return;
  }
  const needsNone = !isReady(pod) && budget.allowsUnready;
  if (!needsNone) await takeDisruption(budget, pod, deletion.dryRun);
  try {
    await remove(pods, namespace, pod, needsNone ? unchanged : deletion);
  } catch (error) {
    const isConflict = error instanceof StatusError && error.status.reason === 'Conflict';
    if (isConflict && needsNone && deletion.preconditions.resourceVersion === undefined) {
      throw stillProcessed(budget.name);
    }
    throw error;
  }
}

/** Marks a pod as the target of a disruption and deletes it. */
async function remove(pods: KindStore, namespace: string, pod: KubeObject, deletion: DeleteOptions): Promise<void> {
  const { name = '' } = pod.metadata;
  const context = systemContext(namespace);
  if (deletion.dryRun) {
    await pods.verbs.delete(context, name, deletion);
    return;
  }
  checkPreconditions(pod, deletion);
  const next = cloneJson(pod) as JsonObject & KubeObject;
  const status = isJsonObject(next.status) ? next.status : {};
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  } as const;
  setPodCondition(status, condition, timestamp(Date.now()));
  next.status = status;
  const ownership = pod.metadata.managedFields ?? [];
  const options = { dryRun: false, fieldManager: 'eviction', fieldValidation: 'Ignore', ownership } as const;
  const marked = await pods.status?.update(context, name, next, options);
  const { resourceVersion } = deletion.preconditions;
  const version = marked?.object.metadata.resourceVersion;
  const preconditions =
    resourceVersion === undefined || version === undefined
      ? deletion.preconditions
      : { ...deletion.preconditions, resourceVersion: version };
  await pods.verbs.delete(context, name, { ...deletion, preconditions });
}

function checkPreconditions({ metadata }: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions;
  const refuse = (detail: string) => conflict({ group: '', resource: 'Pod' }, metadata.name ?? '', detail);
  if (uid !== undefined && uid !== metadata.uid) {
    const detail = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw refuse(detail);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const detail = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw refuse(detail);
  }
}
