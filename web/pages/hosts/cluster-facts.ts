import type { ClusterSpec } from '../../../src/api/management/v1/cluster.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { flagAt, objectAt, textAt } from '../../../src/lib/json-path.ts';

export function clusterSpec(cluster: KubeObject): ClusterSpec {
  return (objectAt(cluster, 'spec') ?? {}) as ClusterSpec;
}

/** The connection from the server to a cluster. */
export type Way = 'built-in' | 'agent' | 'kubeconfig';

export function wayTo(cluster: KubeObject): Way {
  if (flagAt(cluster, 'spec', 'local')) return 'built-in';
  return flagAt(cluster, 'spec', 'networkPeer') ? 'agent' : 'kubeconfig';
}

export const wayWords: Readonly<Record<Way, string>> = {
  'built-in': 'Built into the server',
  agent: 'Agent',
  kubeconfig: 'Kubeconfig',
};

/** The status of a cluster in one word. */
export function stateOf(cluster: KubeObject): 'Online' | 'Offline' | 'Pending' | 'Terminating' {
  if (cluster.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (textAt(cluster, 'status', 'phase') === '') return 'Pending';
  return flagAt(cluster, 'status', 'online') ? 'Online' : 'Offline';
}

/** True if the agent has never connected. */
export function lacksAgent(cluster: KubeObject): boolean {
  return wayTo(cluster) === 'agent' && textAt(cluster, 'status', 'reason') === 'NoAgent';
}
