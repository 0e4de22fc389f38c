import type { JsonObject } from '@flotilla/json';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { clusterVirtualClustersKind } from '../../api/management/v1/subresources/cluster-virtual-clusters.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound, notImplemented } from '../../api/status.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { locationClaim } from '../instances/instance-hooks.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from './computed-object.ts';

export interface ClusterVirtualClustersOptions {
  readonly state: Pick<ManagementState, 'cluster'>;
  /** Returns the host of a connected cluster. `undefined` if this server has no access to it. */
  hostOf(cluster: string): Host | undefined;
  readonly instances: Pick<KindStore, 'byClaim'>;
}

/**
 * GET `clusters/<name>/virtualclusters`: returns all virtual clusters on a cluster. Includes the project and the
 * instance of a virtual cluster if the caller may see them.
 */
export function clusterVirtualClusters(options: ClusterVirtualClustersOptions): MountedSubresource {
  const { group, plural } = virtualClusterInstanceKind;

  async function describe(cluster: string, found: HostedVirtualCluster, context: RequestContext): Promise<JsonObject> {
    const { namespace, name } = found.location;
    const { metadata } = options.instances.byClaim(locationClaim([cluster, namespace, name]))?.object ?? {};
    const instanceKey = { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
    const isVisible =
      metadata !== undefined && (await context.may({ verb: 'get', group, resource: plural, ...instanceKey }));
    return {
      name,
      namespace,
      ...(found.kubernetesVersion === '' ? {} : { version: found.kubernetesVersion }),
      status: found.phase,
      ...(isVisible ? { project: projectOfNamespace(instanceKey.namespace) ?? '', instance: instanceKey.name } : {}),
    };
  }

  return {
    kind: clusterVirtualClustersKind,
    verbs: {
      async get(context, cluster) {
        if (options.state.cluster(cluster) === undefined) throw notFound(groupResourceOf(clusterKind), cluster);
        const host = options.hostOf(cluster);
        if (host === undefined) {
          throw notImplemented('virtual clusters cannot be listed: this server has no access to the cluster');
        }
        const found = await host.discover({ signal: context.signal });
        const virtualClusters = await Promise.all(found.map((one) => describe(cluster, one, context)));
        return computedObject(clusterVirtualClustersKind, { name: cluster }, { virtualClusters });
      },
    },
  };
}
