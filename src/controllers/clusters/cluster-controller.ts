import type { Cluster } from '../../api/management/v1/cluster.ts';

import { StatusError } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import { createMergePatch } from '../instances/create-merge-patch.ts';
import { type ReconcileResult, type RunningController, startController } from '../runtime/controller.ts';
import type { ControllerObserver } from '../runtime/controller-observer.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';
import type { WorkShare } from '../runtime/work-share.ts';
import { ClusterProbes, type ClusterProbesOptions } from './cluster-probes.ts';
import { type ClusterMismatch, type ClusterStatus, clusterStatus } from './cluster-status.ts';
import type { ClusterProbeResult } from './probe-cluster.ts';
import { replacedClusterReason } from './replaced-cluster.ts';
import { type ReleaseDependencies, releaseStep } from './step-release.ts';

export interface ClusterControllerOptions extends ClusterProbesOptions, ReleaseDependencies {
  /**
   * Subscribes to changes of cluster connections. `listener` receives the name of each cluster whose connection was
   * added, replaced or removed. Returns a function that unsubscribes.
   */
  onReplaced(listener: (cluster: string) => void): () => void;
  /** The clusters that this process reconciles. Optional; defaults to all. */
  readonly share?: WorkShare | undefined;
  readonly observer?: ControllerObserver | undefined;
  readonly log: Log;
}

/**
 * Interval at which a deleted cluster is checked for remaining instances, because no event reports the last removal.
 */
const releasePollMs = 1_000;

/** The probe result for a cluster that is reachable only through its agent, if no agent has connected yet. */
const agentMissing: ClusterProbeResult = {
  failure: {
    reason: 'NoAgent',
    detail:
      'No agent has connected yet. Create an access key for the agent (subresource accesskey of this Cluster), then run `flotilla agent`.',
  },
};

/**
 * Maintains the status of connected clusters. Removes the finalizer of a deleted cluster after its last instance is
 * gone. Each cluster has its own queue, so a cluster that does not respond delays no other cluster.
 */
export function startClusterController(options: ClusterControllerOptions): RunningController {
  const { clusters, clock, log } = options;
  const probes = new ClusterProbes(options);

  async function report(cluster: Cluster, finding: ClusterProbeResult, signal: AbortSignal): Promise<void> {
    const statusWith = (mismatch?: ClusterMismatch) =>
      clusterStatus(cluster, { probeResult: finding, mismatch, now: clock.now() });
    try {
      await write(cluster, statusWith(await detectMismatch(cluster, finding)), signal);
    } catch (error) {
      // Ignore 409: the new status contains the uid of the physical cluster, and another Cluster object already has
      // that uid.
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
      const message = `${error.message} Delete one of the two objects.`;
      await write(cluster, statusWith({ reason: 'AlreadyConnected', message }), signal);
    }
  }

  /** Detects that the kubeconfig no longer leads to the physical cluster on which the instances run. */
  async function detectMismatch(
    cluster: Cluster,
    { clusterInfo }: ClusterProbeResult,
  ): Promise<ClusterMismatch | undefined> {
    const known = cluster.status?.clusterUID ?? '';
    if (clusterInfo === undefined || clusterInfo.uid === '' || known === '' || known === clusterInfo.uid)
      return undefined;
    if ((await options.instancesOn(cluster.metadata.name ?? '')) === 0) return undefined;
    return replacedClusterReason(cluster);
  }

  async function write(cluster: Cluster, status: ClusterStatus, signal: AbortSignal): Promise<void> {
    const patch = createMergePatch(cluster.status ?? {}, status);
    if (patch === undefined) return;
    const { name = '', uid = '' } = cluster.metadata;
    await ignoreNotFound(clusters.patchStatus({ name }, { metadata: { uid }, status: patch }, { signal }));
    if (patch.reason === undefined) return;
    const details = { cluster: name, reason: patch.reason, message: status.message };
    if (status.phase === 'Failed') log.warn(details, 'connected cluster failed');
    else log.info(details, 'connected cluster is ready');
  }

  return startController({
    name: 'clusters',
    share: options.share,
    observer: options.observer,
    onForeignKey: (name) => probes.forget(name),
    clock,
    log,
    workers: 1,
    laneOf: (name) => name,
    sources: [{ resource: clusters, keys: ({ metadata }) => [metadata.name ?? ''] }],
    async otherSources(add, signal) {
      const stop = options.onReplaced(add);
      signal.addEventListener('abort', stop, { once: true });
    },
    async reconcile(name, [informer], signal): Promise<ReconcileResult> {
      const cluster = informer.get('', name);
      if (cluster === undefined) {
        probes.forget(name);
        return undefined;
      }
      const isBlocked = await releaseStep(cluster, options, signal);
      const requeue: ReconcileResult = isBlocked ? { requeueAfterMilliseconds: releasePollMs } : undefined;
      if (cluster.spec?.local === true) return requeue;
      const waitsForAgent = cluster.spec?.networkPeer === true && options.connectionOf(name) === undefined;
      const { result, dueAt } = waitsForAgent
        ? { result: agentMissing, dueAt: undefined }
        : await probes.probe(name, signal);
      await report(cluster, result, signal);
      return requeue ?? (dueAt === undefined ? undefined : { requeueAfterMilliseconds: dueAt - clock.elapsed() });
    },
  });
}
