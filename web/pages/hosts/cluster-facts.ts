import type { Cluster, ClusterSpec } from '../../../src/api/management/v1/cluster.ts';

export function clusterSpec({ spec = {} }: Cluster): ClusterSpec {
  return spec;
}

/** The connection from the server to a cluster. */
export type Way = 'built-in' | 'agent' | 'kubeconfig';

export function wayTo({ spec }: Cluster): Way {
  if (spec?.local === true) return 'built-in';
  return spec?.networkPeer === true ? 'agent' : 'kubeconfig';
}

export const wayWords: Readonly<Record<Way, string>> = {
  'built-in': 'Built into the server',
  agent: 'Agent',
  kubeconfig: 'Kubeconfig',
};

/** The status of a cluster in one word. */
export function stateOf({ metadata, status }: Cluster): 'Online' | 'Offline' | 'Pending' | 'Terminating' {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if ((status?.phase ?? '') === '') return 'Pending';
  return status?.online === true ? 'Online' : 'Offline';
}

/** True if the agent has never connected. */
export function lacksAgent(cluster: Cluster): boolean {
  return wayTo(cluster) === 'agent' && cluster.status?.reason === 'NoAgent';
}
