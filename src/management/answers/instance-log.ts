import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { localCluster } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { badRequest, notFound, notImplemented } from '../../api/status.ts';
import { textAt } from '../../lib/json-path.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import type { ManagementState } from '../state.ts';

/** GET `log`. A virtual cluster on the built-in cluster is no program of its own, and says so. */
export function instanceLog(state: ManagementState): MountedSubresource {
  return {
    kind: virtualClusterInstanceKind,
    verbs: {
      async get(context, name) {
        const instance = state.instance(context.namespace, name);
        if (instance === undefined) throw notFound(groupResourceOf(virtualClusterInstanceKind), name);
        const cluster = textAt(instance, 'spec', 'clusterRef', 'cluster');
        if (cluster !== localCluster && cluster !== '') {
          throw notImplemented(`this server cannot read the logs of virtual clusters on the cluster ${cluster}`);
        }
        throw badRequest(
          `the virtual cluster ${JSON.stringify(name)} has no log of its own, as it is part of this server; ` +
            `what happened to it stands in its events: kubectl events --for ${virtualClusterInstanceKind.kind}.${virtualClusterInstanceKind.group}/${name} -n ${context.namespace}`,
        );
      },
    },
  };
}
