import type { KubeObject } from '../../api/meta.ts';
import { abandonAnnotation } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import { flagAt, objectAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { Log } from '../../lib/log.ts';
import { mergeBetween } from '../instances/merge-between.ts';
import { type Outcome, type RunningController, startController } from '../runtime/controller.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import type { ClusterFinding } from './cluster-finding.ts';
import { ClusterLooks, type ClusterLooksOptions } from './cluster-looks.ts';
import { clusterStatus, type Mistaken } from './cluster-status.ts';
import { type ReleaseNeeds, releaseStep } from './step-release.ts';

export interface ClusterControllerOptions extends ClusterLooksOptions, ReleaseNeeds {
  readonly clusters: ResourceClient;
  /** Calls back when the connection of a cluster came, is another one, or went. Returns how to stop. */
  onReplaced(listener: (cluster: string) => void): () => void;
  readonly log: Log;
}

/** Nobody tells when the last instance of a cluster is gone. */
const releaseMilliseconds = 1_000;

/** Of a cluster that is reached through its agent. */
const withoutAgent: ClusterFinding = {
  failure: {
    why: 'NoAgent',
    detail:
      'No agent has announced itself yet. Make a key for it (subresource accesskey), and start it: flotilla agent.',
  },
};

/**
 * Keeps what Cluster objects say of the clusters that are elsewhere, and lets go of those that are being
 * deleted when no instance is left on them. Each cluster is a lane of its own: one that hangs holds up no other.
 */
export function startClusterController(options: ClusterControllerOptions): RunningController {
  const { clusters, clock, log } = options;
  const looks = new ClusterLooks(options);

  async function report(cluster: KubeObject, finding: ClusterFinding, signal: AbortSignal): Promise<void> {
    const statusWith = (mistaken?: Mistaken) => clusterStatus(cluster, { finding, mistaken, now: clock.now() });
    try {
      await write(cluster, statusWith(anotherCluster(cluster, finding)), signal);
    } catch (error) {
      // It would have claimed the physical cluster for this object, and another one has it.
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
      const message = `${error.message} Delete this object, or the other one.`;
      await write(cluster, statusWith({ reason: 'AlreadyConnected', message }), signal);
    }
  }

  /** What runs on the one must not be looked for, made or removed on the other. */
  function anotherCluster(cluster: KubeObject, { look }: ClusterFinding): Mistaken | undefined {
    const known = textAt(cluster, 'status', 'clusterUID');
    if (look === undefined || look.uid === '' || known === '' || known === look.uid) return undefined;
    if (options.instancesOn(cluster.metadata.name ?? '') === 0) return undefined;
    const message =
      'Another cluster answers than the one that virtual cluster instances run on. Give it a spec.kubeconfig that leads to ' +
      `that one; if that one is gone for good, let go of them with the annotation ${abandonAnnotation}: "<reason>".`;
    return { reason: 'AnotherCluster', message };
  }

  async function write(cluster: KubeObject, status: JsonObject, signal: AbortSignal): Promise<void> {
    const patch = mergeBetween(objectAt(cluster, 'status') ?? {}, status);
    if (patch === undefined) return;
    const { name = '', uid = '' } = cluster.metadata;
    await unlessGone(clusters.patchStatus({ name }, { metadata: { uid }, status: patch }, { signal }));
    if (patch.reason === undefined) return;
    const told = { cluster: name, reason: patch.reason, message: status.message };
    if (status.phase === 'Failed') log.warn(told, 'a connected cluster cannot be used');
    else log.info(told, 'a connected cluster can be used');
  }

  return startController({
    name: 'clusters',
    clock,
    log,
    workers: 1,
    laneOf: (name) => name,
    sources: [{ resource: clusters, keys: ({ metadata }) => [metadata.name ?? ''] }],
    async others(add, signal) {
      const stop = options.onReplaced(add);
      signal.addEventListener('abort', stop, { once: true });
    },
    async reconcile(name, [copies], signal): Promise<Outcome> {
      const cluster = copies?.get('', name);
      if (cluster === undefined) {
        looks.forget(name);
        return undefined;
      }
      const isHeld = await releaseStep(cluster, options, signal);
      const again = isHeld ? { againAfterMilliseconds: releaseMilliseconds } : undefined;
      if (flagAt(cluster, 'spec', 'local')) return again;
      const waits = flagAt(cluster, 'spec', 'networkPeer') && options.connectionOf(name) === undefined;
      const { finding, dueAt } = waits ? { finding: withoutAgent, dueAt: undefined } : await looks.at(name, signal);
      await report(cluster, finding, signal);
      return again ?? (dueAt === undefined ? undefined : { againAfterMilliseconds: dueAt - clock.elapsed() });
    },
  });
}
