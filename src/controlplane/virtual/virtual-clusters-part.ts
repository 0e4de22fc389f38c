import { cleanupFinalizer } from '../../api/naming.ts';
import {
  isBeingRemoved,
  observedGeneration,
  planeIdOf,
  proxySubresource,
  virtualClusterKind,
  virtualClusterProxyKind,
} from '../../api/storage/virtual-cluster.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { defineResource } from '../../registry/resource.ts';
import { resourceKey } from '../../registry/rows.ts';
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
  const key = resourceKey(virtualClusterKind);
  const storeOf = (kinds: ReadonlyMap<string, KindStore>): KindStore => {
    const store = kinds.get(key);
    if (store === undefined) throw new Error(`the control plane has no store for ${key}`);
    return store;
  };
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
          settleVirtualCluster(storeOf(dependencies.plane().kinds), { namespace, name }, dependencies),
      }),
    ],
    mount(stores) {
      const store = storeOf(stores);
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
