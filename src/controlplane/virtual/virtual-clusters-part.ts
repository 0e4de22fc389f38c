import { cleanupFinalizer } from '../../api/naming.ts';
import {
  isReadyForRemoval,
  observedGeneration,
  planeIdOf,
  proxySubresource,
  virtualClusterKind,
  virtualClusterProxyKind,
} from '../../api/storage/virtual-cluster.ts';
import { storeOf } from '../../registry/kind-stores.ts';
import { defineResource } from '../../registry/resource.ts';
import { mountStored } from '../../registry/verbs/stored-verbs.ts';
import type { Write } from '../../store/store.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import {
  initialStatus,
  reconcileVirtualCluster,
  type VirtualClusterReconcileOptions,
} from './reconcile-virtual-cluster.ts';

export interface VirtualClustersDependencies extends Pick<PartDependencies, 'plane'>, VirtualClusterReconcileOptions {
  /** The write that creates the plane of a virtual cluster, in one transaction with its object. */
  planeCreationWrite(id: string): Write;
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
        serverFinalizer: cleanupFinalizer,
        prepare(draft) {
          if (draft.old === undefined) draft.object.status = initialStatus(draft.object, dependencies);
        },
        createdAlongside: ({ object }) => [dependencies.planeCreationWrite(planeIdOf(object))],
        needsReconcile: ({ object }) =>
          isReadyForRemoval(object) || observedGeneration(object) !== object.metadata.generation,
        reconcile: (namespace, name) =>
          reconcileVirtualCluster(
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
