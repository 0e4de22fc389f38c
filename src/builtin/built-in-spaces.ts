import { builtInClusterName } from '../api/naming.ts';
import type { GatewayCluster } from '../gateway/instance-access.ts';
import { spaceCluster } from '../gateway/spaces/space-cluster.ts';
import type { Clock } from '../lib/clock.ts';
import type { BuiltInClusterPlanes } from './open-planes.ts';

/** The gateway's access to the spaces on the built-in cluster, which are namespaces of its own control plane. */
export function builtInSpaces(
  { builtIn, host }: Pick<BuiltInClusterPlanes, 'builtIn' | 'host'>,
  clock: Clock,
): GatewayCluster {
  return spaceCluster({ host, cluster: builtInClusterName, targetOf: () => builtIn.local, clock });
}
