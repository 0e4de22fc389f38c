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
  /** What makes the plane of a virtual cluster, to be written with its object. */
  birth(id: string): Write;
}

/**
 * The kind VirtualCluster, which the built-in cluster has and no other plane. Each object is a control plane: it comes in
 * one transaction with its object, and goes before its object does. Upkeep sees to the rest, so a crash at any point is
 * made good by the next start.
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
          // Only the server knows what a virtual cluster is doing.
          ...(status === undefined ? {} : { status: { kind: virtualClusterKind, verbs: { get: status.get } } }),
          [proxySubresource]: { kind: virtualClusterProxyKind, verbs: {}, connects: true },
        }),
      ];
    },
  };
}
