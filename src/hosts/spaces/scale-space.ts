import { flagAt, type JsonObject, type JsonValue, listAt, numberAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { asleepAnnotation, replicasAnnotation } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import type { ApiClient, ResourceClient } from '../../client/resource-client.ts';
import type { HostCallOptions } from '../host.ts';
import {
  cronJobKind,
  deploymentKind,
  jobKind,
  replicaSetKind,
  replicationControllerKind,
  statefulSetKind,
} from '../kubernetes/host-kinds.ts';

/** Returns the patch of a workload; `undefined` if the workload needs no patch. */
type Patch = (workload: KubeObject) => JsonObject | undefined;

/** The kinds of workloads, each with the patches for sleep and wake. */
const workloadKinds: readonly { readonly kind: ResourceKind; readonly sleep: Patch; readonly wake: Patch }[] = [
  ...[deploymentKind, statefulSetKind, replicaSetKind, replicationControllerKind].map((kind) => ({
    kind,
    sleep: scaledDown,
    wake: scaledUp,
  })),
  ...[cronJobKind, jobKind].map((kind) => ({ kind, sleep: suspended, wake: resumed })),
];

/** The largest value of a 32-bit field of Kubernetes. */
const maxReplicas = 2 ** 31 - 1;

/** The maximum number of attempts for a workload that other clients change at the same time. */
const maxAttempts = 5;

/**
 * Scales the workloads in a namespace to zero, suspends its jobs, and records the previous state of each workload in
 * annotations. Workloads that another workload controls are not changed. If a call is interrupted, the next call
 * completes its work.
 */
export async function scaleDownSpace(hostClient: ApiClient, namespace: string, call: HostCallOptions): Promise<void> {
  for (const { kind, sleep } of workloadKinds) await patchAll(hostClient, { kind, namespace, patchOf: sleep }, call);
}

/**
 * Restores the state that `scaleDownSpace` recorded in annotations. Workloads without such an annotation are not
 * changed.
 */
export async function scaleUpSpace(hostClient: ApiClient, namespace: string, call: HostCallOptions): Promise<void> {
  for (const { kind, wake } of workloadKinds) await patchAll(hostClient, { kind, namespace, patchOf: wake }, call);
}

function scaledDown(workload: KubeObject): JsonObject | undefined {
  const replicas = numberAt(workload as JsonValue, 'spec', 'replicas') ?? 1;
  if (replicas === 0) return undefined;
  return { metadata: { annotations: { [replicasAnnotation]: String(replicas) } }, spec: { replicas: 0 } };
}

function scaledUp(workload: KubeObject): JsonObject | undefined {
  const recorded = workload.metadata.annotations?.[replicasAnnotation];
  if (recorded === undefined) return undefined;
  const metadata = { annotations: { [replicasAnnotation]: null } };
  const isAwake = (numberAt(workload as JsonValue, 'spec', 'replicas') ?? 1) > 0;
  const replicas = Number.parseInt(recorded, 10);
  // Users of the space can write the annotation with the replica count. A count that the host would reject is ignored,
  // because otherwise the space could never be woken.
  const isUsable = replicas > 0 && replicas <= maxReplicas;
  return isAwake || !isUsable ? { metadata } : { metadata, spec: { replicas } };
}

function suspended(job: KubeObject): JsonObject | undefined {
  const isFinished = listAt(job as JsonValue, 'status', 'conditions').some((condition) =>
    ['Complete', 'Failed'].includes(String((condition as JsonObject).type)),
  );
  if (isFinished || flagAt(job as JsonValue, 'spec', 'suspend')) return undefined;
  return { metadata: { annotations: { [asleepAnnotation]: 'false' } }, spec: { suspend: true } };
}

function resumed(job: KubeObject): JsonObject | undefined {
  if (job.metadata.annotations?.[asleepAnnotation] === undefined) return undefined;
  return { metadata: { annotations: { [asleepAnnotation]: null } }, spec: { suspend: false } };
}

interface PatchRequest {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly patchOf: Patch;
}

async function patchAll(
  hostClient: ApiClient,
  { kind, namespace, patchOf }: PatchRequest,
  call: HostCallOptions,
): Promise<void> {
  const client = clientOf(hostClient, kind);
  const items = client === undefined ? [] : await listUnlessUnknown(client, namespace, call);
  for (const object of items) if (client !== undefined) await patchOne(client, object, patchOf, call);
}

/**
 * Patches a workload if its resource version is unchanged. After a conflict, reads the workload again and repeats the
 * patch.
 */
async function patchOne(
  client: ResourceClient,
  listed: KubeObject,
  patchOf: Patch,
  call: HostCallOptions,
): Promise<void> {
  let object = listed;
  for (let attempt = 1; ; attempt++) {
    const {
      namespace = '',
      name = '',
      resourceVersion = '',
      ownerReferences = [],
      deletionTimestamp,
    } = object.metadata;
    const isControlled = ownerReferences.some(({ controller }) => controller === true);
    const patch = isControlled || deletionTimestamp !== undefined ? undefined : patchOf(object);
    if (patch === undefined) return;
    try {
      const metadata = { ...(patch.metadata as JsonObject), resourceVersion };
      await client.patch({ namespace, name }, { ...patch, metadata }, call);
      return;
    } catch (error) {
      if (isStatus(error, 404)) return;
      if (!isStatus(error, 409) || attempt === maxAttempts) throw error;
    }
    try {
      object = await client.get({ namespace, name }, call);
    } catch (error) {
      if (isStatus(error, 404)) return;
      throw error;
    }
  }
}

/** A built-in cluster may not serve all kinds of workloads. */
function clientOf(hostClient: ApiClient, kind: ResourceKind): ResourceClient | undefined {
  try {
    return hostClient.resource(kind);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

async function listUnlessUnknown(
  client: ResourceClient,
  namespace: string,
  call: HostCallOptions,
): Promise<readonly KubeObject[]> {
  try {
    return (await client.list({ namespace, ...call })).items;
  } catch (error) {
    if (isStatus(error, 404)) return [];
    throw error;
  }
}

function isStatus(error: unknown, code: number): boolean {
  return error instanceof StatusError && error.code === code;
}
