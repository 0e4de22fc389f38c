import { clusterKind } from '../../api/management/v1/cluster.ts';
import { clusterAccessKeyKind } from '../../api/management/v1/cluster-access-key.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound } from '../../api/status.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import type { ManagementState } from '../state.ts';

/*
 * Parts that need a running host. This server answers 501 for them, but not before it has checked what it was sent:
 * a client finds its own mistakes first.
 */

function clusterMustExist(state: ManagementState, name: string): void {
  if (state.cluster(name) === undefined) throw notFound(groupResourceOf(clusterKind), name);
}

export function clusterAccessKey(state: ManagementState): MountedSubresource {
  return {
    kind: clusterAccessKeyKind,
    verbs: {},
    missing: 'keys for agents are not available: this server has no agents',
    missingCheck: (_context, name) => clusterMustExist(state, name),
  };
}
