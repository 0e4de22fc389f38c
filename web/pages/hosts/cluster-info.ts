import type { Cluster, ClusterSpec } from '../../../src/api/management/v1/cluster.ts';

export function clusterSpec({ spec = {} }: Cluster): ClusterSpec {
  return spec;
}

/** The type of connection from the server to a cluster. */
export type ClusterConnection = 'built-in' | 'agent' | 'kubeconfig';

export function connectionOf({ spec }: Cluster): ClusterConnection {
  if (spec?.local === true) return 'built-in';
  return spec?.networkPeer === true ? 'agent' : 'kubeconfig';
}

export const connectionLabels: Readonly<Record<ClusterConnection, string>> = {
  'built-in': 'The server itself (built-in)',
  agent: 'Agent',
  kubeconfig: 'Kubeconfig',
};

/** Returns the status of a cluster as one word. */
export function clusterStatus({ metadata, status }: Cluster): 'Online' | 'Offline' | 'Pending' | 'Terminating' {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (['', 'Pending'].includes(status?.phase ?? '')) return 'Pending';
  return status?.online === true ? 'Online' : 'Offline';
}

/** True if the server reaches the cluster through an agent and that agent has never connected. */
export function isWaitingForAgent(cluster: Cluster): boolean {
  return connectionOf(cluster) === 'agent' && cluster.status?.reason === 'NoAgent';
}
