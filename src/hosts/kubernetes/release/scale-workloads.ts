import { type JsonObject, type JsonValue, numberAt } from '@flotilla/json';
import { type KubeObject, timestamp } from '../../../api/meta.ts';
import { dataLostAnnotation, fallingAsleepAnnotation, replicasAnnotation } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import type { ApiClient, ResourceClient } from '../../../client/resource-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import { DataLossError } from '../../data-loss-error.ts';
import type { HostLocation, SleepOptions } from '../../host.ts';
import { deploymentKind, podKind, statefulSetKind } from '../host-kinds.ts';
import {
  pausedAnnotations,
  pausedReplicasAnnotation,
  releaseSelector,
  syncedPodSelector,
  workloadApps,
} from './chart-labels.ts';
import { dataLossCause } from './data-storage.ts';

const appsInOrder: readonly string[] = workloadApps;

/** The number of attempts to scale the workloads. An attempt fails if another client changes them at the same time. */
const maxAttempts = 5;

export interface ScaleDownOptions extends Pick<SleepOptions, 'acceptsDataLoss'> {
  readonly signal: AbortSignal;
  /** Called after the workloads were read. If the function returns false, no workload is changed. */
  isWanted(): Promise<boolean>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Scales all workloads of the virtual cluster to zero and records their replica counts in annotations. Returns false if
 * the virtual cluster has no workloads. Rejects with DataLossError as described at `InstanceDriver.sleep`.
 */
export async function scaleDown(
  hostClient: ApiClient,
  location: HostLocation,
  { signal, isWanted, acceptsDataLoss = false, clock }: ScaleDownOptions,
): Promise<boolean> {
  return await scale(hostClient, location, signal, async (workloads) => {
    if (!(await isWanted())) return () => undefined;
    const cause = await lossOfRunning(hostClient, location, workloads, signal);
    if (cause !== undefined && !acceptsDataLoss) throw new DataLossError(cause);
    const lostAt = cause === undefined ? null : timestamp(clock.now());
    return (workload) => {
      const replicas = replicasOf(workload);
      if (replicas === 0) return undefined;
      const annotations = {
        [replicasAnnotation]: String(replicas),
        [fallingAsleepAnnotation]: 'true',
        [dataLostAnnotation]: lostAt,
      };
      return { metadata: { annotations }, spec: { replicas: 0 } };
    };
  });
}

/** Returns the cause with which `scaleDown` would reject; `undefined` if the data would be kept. */
export async function sleepDataLoss(
  hostClient: ApiClient,
  location: HostLocation,
  signal: AbortSignal,
): Promise<string | undefined> {
  const workloads = (await workloadsOf(hostClient, location, signal)).map(({ object }) => object);
  return await lossOfRunning(hostClient, location, workloads, signal);
}

async function lossOfRunning(
  hostClient: ApiClient,
  location: HostLocation,
  workloads: readonly KubeObject[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!workloads.some((each) => replicasOf(each) > 0)) return undefined;
  return await dataLossCause(hostClient, location, workloads, signal);
}

function replicasOf(workload: KubeObject): number {
  return numberAt(workload as JsonValue, 'spec', 'replicas') ?? 1;
}

/**
 * Restores the recorded replica counts, even if another program, such as vCluster's CLI, paused the virtual cluster.
 */
export async function scaleUp(hostClient: ApiClient, location: HostLocation, signal: AbortSignal): Promise<boolean> {
  const wakePatch = (workload: KubeObject) => {
    const present = workload.metadata.annotations ?? {};
    const outdated = [replicasAnnotation, fallingAsleepAnnotation, ...pausedAnnotations].filter(
      (name) => name in present,
    );
    const annotations = Object.fromEntries(outdated.map((name) => [name, null]));
    if (replicasOf(workload) > 0) {
      return outdated.length === 0 ? undefined : { metadata: { annotations } };
    }
    const recorded = Number.parseInt(present[replicasAnnotation] ?? present[pausedReplicasAnnotation] ?? '', 10);
    return { metadata: { annotations }, spec: { replicas: recorded > 0 ? recorded : 1 } };
  };
  return await scale(hostClient, location, signal, async () => wakePatch);
}

/**
 * Deletes the pods that the virtual cluster has synced to its host, and returns their number. Must be called after the
 * control plane has stopped, because a running control plane would also delete the pods inside the virtual cluster.
 * After a wake, the control plane creates the synced pods again. `assertCurrent` is called before each deletion, and throws
 * if the caller must not continue.
 */
export async function deleteSyncedPods(
  hostClient: ApiClient,
  location: HostLocation,
  signal: AbortSignal,
  assertCurrent: () => void = () => {},
): Promise<number> {
  const pods = hostClient.resource(podKind);
  const { items } = await pods.list({
    namespace: location.namespace,
    labelSelector: syncedPodSelector(location.name),
    signal,
  });
  for (const { metadata } of items) {
    if (metadata.deletionTimestamp !== undefined) continue;
    assertCurrent();
    await ignoreNotFound(pods.delete({ namespace: location.namespace, name: metadata.name ?? '' }, { signal }));
  }
  const finishedPatch = ({ metadata }: KubeObject) =>
    metadata.annotations?.[fallingAsleepAnnotation] === undefined
      ? undefined
      : { metadata: { annotations: { [fallingAsleepAnnotation]: null } } };
  await scale(hostClient, location, signal, async () => finishedPatch);
  return items.length;
}

export async function workloadsOf(
  hostClient: ApiClient,
  { namespace, name }: HostLocation,
  signal: AbortSignal,
): Promise<readonly { readonly client: ResourceClient; readonly object: KubeObject }[]> {
  const found = await Promise.all(
    [statefulSetKind, deploymentKind].map(async (kind) => {
      const client = hostClient.resource(kind);
      const { items } = await client.list({ namespace, labelSelector: releaseSelector(name), signal });
      // The items of a list have no kind.
      return items.map((object): { client: ResourceClient; object: KubeObject } => ({
        client,
        object: { ...object, kind: kind.kind },
      }));
    }),
  );
  const order = ({ object }: { object: KubeObject }) => appsInOrder.indexOf(object.metadata.labels?.app ?? '');
  return found.flat().sort((one, other) => order(one) - order(other));
}

/** Patches all workloads. `choosePatch` is called after they were read, and the patches apply only to these versions. */
async function scale(
  hostClient: ApiClient,
  location: HostLocation,
  signal: AbortSignal,
  choosePatch: (workloads: readonly KubeObject[]) => Promise<(workload: KubeObject) => JsonObject | undefined>,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const workloads = await workloadsOf(hostClient, location, signal);
    const patchOf = await choosePatch(workloads.map(({ object }) => object));
    try {
      for (const { client, object } of workloads) {
        const patch = patchOf(object);
        if (patch === undefined) continue;
        const { namespace = '', name = '', resourceVersion = '' } = object.metadata;
        const metadata = { ...(patch.metadata as JsonObject), resourceVersion };
        await client.patch({ namespace, name }, { ...patch, metadata }, { signal });
      }
      return workloads.length > 0;
    } catch (error) {
      const isConflict = error instanceof StatusError && (error.code === 409 || error.code === 404);
      if (!isConflict || attempt === maxAttempts) throw error;
    }
  }
}

async function ignoreNotFound(deleting: Promise<void>): Promise<void> {
  try {
    await deleting;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
