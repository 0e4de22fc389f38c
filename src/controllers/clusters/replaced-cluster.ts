import type { Cluster } from '../../api/management/v1/cluster.ts';
import { abandonAnnotation, agentHostAnnotation } from '../../api/naming.ts';
import { timedOut } from '../../api/status.ts';
import { terminalReasons } from '../../api/terminal-reasons.ts';
import { clusterUidOf } from '../../hosts/kubernetes/observe/probe-cluster.ts';
import type { HostConnection } from '../../hosts/kubernetes/reach/host-connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/with-timeout.ts';

/**
 * The reason why the cluster behind a Cluster object counts as replaced: it is not the cluster on which the instances
 * run. The message contains the remedy.
 */
export interface ReplacedClusterReason {
  readonly reason: 'AgentDataLost' | 'AnotherCluster';
  readonly message: string;
}

/** Returns the reason for a Cluster object whose physical cluster now has a different uid. */
export function replacedClusterReason({ metadata, spec }: Pick<Cluster, 'metadata' | 'spec'>): ReplacedClusterReason {
  if (metadata.annotations?.[agentHostAnnotation] === 'built-in') {
    const message =
      'The agent has started with a new data directory: the virtual clusters and spaces on this cluster are gone. Restore the ' +
      'data directory of the agent from a backup and restart the agent. Without a backup, delete the instances and create them again.';
    return { reason: terminalReasons.agentDataLost, message };
  }
  const change =
    spec?.networkPeer === true
      ? 'The agent runs in another cluster than the one that the virtual cluster instances run on. Start the agent in the original cluster.'
      : 'spec.kubeconfig leads to another cluster than the one that the virtual cluster instances run on. Set a kubeconfig of the original cluster.';
  const message = `${change} If it is gone permanently, abandon the instances with the annotation ${abandonAnnotation}: "<reason>".`;
  return { reason: terminalReasons.anotherCluster, message };
}

const replacements: readonly string[] = [terminalReasons.agentDataLost, terminalReasons.anotherCluster];

/** Returns the reason if the status of a Cluster object says that its cluster was replaced by another cluster. */
export function recordedReplacement(cluster: Cluster): ReplacedClusterReason | undefined {
  const isReplaced = (cluster.status?.conditions ?? []).some(
    ({ type, status, reason = '' }) => type === 'Unique' && status === 'False' && replacements.includes(reason),
  );
  return isReplaced ? replacedClusterReason(cluster) : undefined;
}

export interface ReplacedClusterCheck {
  readonly cluster: Cluster;
  readonly connection: Pick<HostConnection, 'fetch'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const timeoutMs = 10_000;

/**
 * Reads the UID of a cluster. Returns the reason if this UID differs from the UID in the Cluster object; `undefined` if
 * they are equal, or if the UID in the object is unknown. Rejects with StatusError if the cluster does not respond.
 */
export async function checkReplacedCluster(check: ReplacedClusterCheck): Promise<ReplacedClusterReason | undefined> {
  const { cluster, connection, clock, signal } = check;
  const known = cluster.status?.clusterUID ?? '';
  if (known === '') return undefined;
  const timeoutError = () => timedOut(`no response within ${timeoutMs / 1000} seconds`);
  const uid = await withTimeout({ clock, milliseconds: timeoutMs, signal, timeoutError }, (ending) =>
    clusterUidOf(connection, ending),
  );
  return uid === '' || uid === known ? undefined : replacedClusterReason(cluster);
}
