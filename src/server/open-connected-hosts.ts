import { clusterKind } from '../api/management/v1/cluster.ts';
import { agentHostAnnotation } from '../api/naming.ts';
import { remoteBuiltinHost } from '../hosts/builtin/remote-builtin-host.ts';
import { openKubernetesHost } from '../hosts/kubernetes/kubernetes-host.ts';
import { clearHelmFolder } from '../hosts/kubernetes/release/helm.ts';
import type { HelmSettings } from '../hosts/kubernetes/release/helm-settings.ts';
import type { CleanupRunner } from '../hosts/kubernetes/release/sleep-cleanup.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { kubeconfigPurpose } from '../management/resources/cluster-hidden.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { Sealer } from '../seal/sealer.ts';
import { runOnLeader } from './background/run-on-leader.ts';
import { type ConnectedHosts, type ConnectedHostsOptions, connectHosts } from './connected-hosts.ts';
import type { DataDir } from './data/data-dir.ts';

export interface OpenConnectedHostsOptions {
  /** The kinds of the management API. */
  readonly kinds: KindStores;
  readonly sealer: Sealer;
  readonly connect: ConnectedHostsOptions['connect'];
  readonly helm: HelmSettings;
  readonly dir: Pick<DataDir, 'helm'>;
  readonly replicas: Replicas;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Opens all connected clusters as hosts. A host is a Kubernetes cluster or the built-in cluster of an agent. Sends no
 * request until a host is used.
 */
export async function openConnectedHosts(options: OpenConnectedHostsOptions): Promise<ConnectedHosts> {
  const { sealer, helm, replicas, clock, log } = options;
  const { helm: workDir } = options.dir;
  // Removes files that remain after a crash, because they contain credentials.
  await clearHelmFolder(workDir);
  const clusters = storeOf(options.kinds, clusterKind);
  const runCleanup: CleanupRunner = (start) => runOnLeader(replicas, (_fence, assertCurrent) => start(assertCurrent));
  return connectHosts({
    clusters,
    unseal: (sealed) => sealer.open(kubeconfigPurpose, sealed),
    connect: options.connect,
    hostOn(cluster, connection) {
      const { metadata } = clusters.peek('', cluster)?.object ?? {};
      return metadata?.annotations?.[agentHostAnnotation] === 'built-in'
        ? remoteBuiltinHost({ connection, clock, log })
        : openKubernetesHost({ connection, helm, workDir, runCleanup, clock, log });
    },
    log,
  });
}
