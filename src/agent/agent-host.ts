import type { BuiltInCluster } from '../gateway/built-in-cluster.ts';
import type { GatewayCluster } from '../gateway/instance-access.ts';
import type { ClusterApi } from '../hosts/host.ts';

/** The cluster that an agent serves. */
export interface AgentHost {
  readonly kind: 'built-in' | 'kubernetes';
  /** The virtual clusters that run on the agent's cluster. */
  readonly virtualClusters: GatewayCluster;
  /** The spaces on the agent's cluster. */
  readonly spaces: GatewayCluster;
  /** The agent's own cluster, if it is a built-in cluster in this process; otherwise absent. */
  readonly builtIn?: BuiltInCluster;
  /** The API of the agent's own cluster, if it is a remote Kubernetes cluster; otherwise absent. */
  readonly api?: ClusterApi;
  /** Returns the unique ID of the agent's own cluster; '' if it is unknown. Absent for a built-in cluster. */
  uid?(signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}
