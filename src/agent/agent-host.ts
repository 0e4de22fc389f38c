import type { BuiltInCluster } from '../gateway/cluster-gateway.ts';
import type { GatewayCluster } from '../gateway/instance-doors.ts';
import type { ClusterApi } from '../hosts/host.ts';

/** The cluster beside an agent, as its gateways need it. */
export interface AgentHost {
  readonly kind: 'built-in' | 'kubernetes';
  /** The virtual clusters on it. */
  readonly virtualClusters: GatewayCluster;
  /** The cluster itself, where it is built into this process. */
  readonly builtIn?: BuiltInCluster;
  /** The cluster itself, where it is elsewhere. */
  readonly api?: ClusterApi;
  close(): Promise<void>;
}
