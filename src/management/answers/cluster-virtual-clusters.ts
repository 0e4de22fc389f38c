import { clusterKind } from '../../api/management/v1/cluster.ts';
import { clusterVirtualClustersKind } from '../../api/management/v1/cluster-virtual-clusters.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound, notImplemented } from '../../api/status.ts';
import type { Host, HostedVirtualCluster } from '../../hosts/host.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { placeClaim } from '../resources/virtualclusterinstances.ts';
import type { ManagementState } from '../state.ts';
import { answerOf } from './served-answer.ts';

export interface ClusterVirtualClustersOptions {
  readonly state: Pick<ManagementState, 'cluster'>;
  /** The host that is connected under that name; undefined: this server has no way to look into it. */
  hostOf(cluster: string): Host | undefined;
  readonly instances: Pick<KindStore, 'byClaim'>;
}

/** `clusters/<name>/virtualclusters`: all that run there, and whose they are as far as the caller may know. */
export function clusterVirtualClusters(options: ClusterVirtualClustersOptions): MountedSubresource {
  const { group, plural } = virtualClusterInstanceKind;

  async function described(cluster: string, found: HostedVirtualCluster, context: RequestContext): Promise<JsonObject> {
    const { namespace, name } = found.place;
    const { metadata } = options.instances.byClaim(placeClaim(cluster, namespace, name))?.object ?? {};
    const place = { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
    const isKnown = metadata !== undefined && (await context.may({ verb: 'get', group, resource: plural, ...place }));
    return {
      name,
      namespace,
      ...(found.kubernetesVersion === '' ? {} : { version: found.kubernetesVersion }),
      status: found.phase,
      ...(isKnown ? { project: projectOfNamespace(place.namespace) ?? '', instance: place.name } : {}),
    };
  }

  return {
    kind: clusterVirtualClustersKind,
    verbs: {
      async get(context, cluster) {
        if (options.state.cluster(cluster) === undefined) throw notFound(groupResourceOf(clusterKind), cluster);
        const host = options.hostOf(cluster);
        if (host === undefined) {
          throw notImplemented('virtual clusters cannot be listed: this server cannot look into this cluster');
        }
        const found = await host.discover({ signal: context.signal });
        const virtualClusters = await Promise.all(found.map((one) => described(cluster, one, context)));
        return answerOf(clusterVirtualClustersKind, { name: cluster }, { virtualClusters });
      },
    },
  };
}
