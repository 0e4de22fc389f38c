import { cleanupFinalizer } from '../../api/naming.ts';
import {
  isBeingRemoved,
  observedGeneration,
  planeIdOf,
  proxySubresource,
  virtualClusterKind,
  virtualClusterProxyKind,
} from '../../api/storage/virtual-cluster.ts';
import { storeOf } from '../../registry/kind-stores.ts';
import { defineResource } from '../../registry/resource.ts';
import { mountStored } from '../../registry/stored-verbs.ts';
import type { Write } from '../../store/store.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { type SettleOptions, settleVirtualCluster, statusAtBirth } from './settle-virtual-cluster.ts';

export interface VirtualClustersDependencies extends Pick<PartDependencies, 'plane'>, SettleOptions {
  /** The write that creates the plane of a virtual cluster, in one transaction with its object. */
  birth(id: string): Write;
}

/**
 * The kind VirtualCluster, which only the built-in cluster has. Each object has a control plane, which is created in
 * one transaction with the object and removed before the object. Maintenance does the rest, so the next start recovers
 * from a crash at any point.
 */
export function virtualClustersPart(dependencies: VirtualClustersDependencies): PlanePart {
  return {
    resources: [
      defineResource({
        ...virtualClusterKind,
        hasStatus: true,
        nameRule: 'label',
        keptFinalizer: cleanupFinalizer,
        prepare(draft) {
          if (draft.old === undefined) draft.object.status = statusAtBirth(draft.object, dependencies);
        },
        bornWith: ({ object }) => [dependencies.birth(planeIdOf(object))],
        pending: ({ object }) => isBeingRemoved(object) || observedGeneration(object) !== object.metadata.generation,
        settle: (namespace, name) =>
          settleVirtualCluster(
            storeOf(dependencies.plane().kinds, virtualClusterKind),
            { namespace, name },
            dependencies,
          ),
      }),
    ],
    mount(stores) {
      const store = storeOf(stores, virtualClusterKind);
      const { status } = store;
      return [
        mountStored(store, {
          // Only the server may write the status of a virtual cluster.
          ...(status === undefined ? {} : { status: { kind: virtualClusterKind, verbs: { get: status.get } } }),
          [proxySubresource]: { kind: virtualClusterProxyKind, verbs: {}, connects: true },
        }),
      ];
    },
  };
}
