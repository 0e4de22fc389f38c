import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { builtInClusterName } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { badRequest, notFound, notImplemented, StatusError } from '../../api/status.ts';
import type { Host } from '../../hosts/host.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import type { ManagementState } from '../state.ts';

export interface InstanceLogOptions {
  readonly state: Pick<ManagementState, 'instance'>;
  /** Returns the host of a connected cluster. `undefined` if this server has no access to it. */
  hostOf(cluster: string): Host | undefined;
}

const { kind, group } = virtualClusterInstanceKind;

/** GET `log` of an instance: returns the log of the virtual cluster's control plane, read from its host. */
export function instanceLog({ state, hostOf }: InstanceLogOptions): MountedSubresource {
  return {
    kind: virtualClusterInstanceKind,
    verbs: {
      async read({ namespace, signal }, name, query) {
        const instance = state.instance(namespace, name);
        if (instance === undefined) throw notFound(groupResourceOf(virtualClusterInstanceKind), name);
        const { clusterRef } = instance.spec ?? {};
        const cluster = clusterRef?.cluster ?? '';
        const host = hostOf(cluster);
        if (cluster === '') throw noLogYet(instance);
        if (host === undefined) throw notImplemented(`this server cannot read logs on the cluster ${cluster}`);
        const location = { namespace: clusterRef?.namespace ?? '', name: clusterRef?.virtualCluster ?? '' };
        // Another virtual cluster may run at the location of this instance. The log of that virtual cluster must not be
        // returned.
        const found = await host.observe(location, { signal });
        if (found === undefined || found.uid !== (instance.status?.serviceUID ?? '')) throw noLogYet(instance);
        try {
          return await host.logs(location, { query, signal });
        } catch (error) {
          if (cluster !== builtInClusterName || !(error instanceof StatusError) || error.code !== 400) throw error;
          const events = `kubectl events --for ${kind}.${group}/${name} -n ${namespace}`;
          throw badRequest(`${error.message}; for its history see its events: ${events}`);
        }
      },
    },
  };
}

function noLogYet(instance: VirtualClusterInstance): StatusError {
  const message = instance.status?.message || 'it is being created';
  return badRequest(`the virtual cluster ${JSON.stringify(instance.metadata.name ?? '')} has no log yet: ${message}`);
}
