import type { BuiltInCluster } from '../gateway/built-in-cluster.ts';
import type { GatewayCluster } from '../gateway/instance-access.ts';
import type { ClusterApi } from '../hosts/host.ts';

/** The cluster of an agent, as its gateways use it. */
export interface AgentHost {
  readonly kind: 'built-in' | 'kubernetes';
  /** The virtual clusters on the cluster. */
  readonly virtualClusters: GatewayCluster;
  /** The cluster itself, if it runs in this process. */
  readonly builtIn?: BuiltInCluster;
  /** The API of the cluster itself, if it is remote. */
  readonly api?: ClusterApi;
  close(): Promise<void>;
}
