import { cleanupFinalizer } from '../../api/naming.ts';
import {
  isReadyForRemoval,
  observedGeneration,
  planeIdOf,
  proxySubresource,
  quarantinedReason,
  quarantineError,
  virtualClusterKind,
  virtualClusterProxyKind,
} from '../../api/storage/virtual-cluster.ts';
import { storeOf } from '../../registry/kind-stores.ts';
import { defineResource } from '../../registry/resource.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import type { Write } from '../../store/store.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import {
  initialVirtualClusterStatus,
  reconcileVirtualCluster,
  type VirtualClusterReconcileOptions,
} from './reconcile-virtual-cluster.ts';

export interface VirtualClustersDependencies extends Pick<PartDependencies, 'plane'>, VirtualClusterReconcileOptions {
  /**
   * Returns the write that creates a virtual cluster's plane. It is part of the transaction that creates the object.
   */
  planeCreationWrite(id: string): Write;
}

/**
 * The plane part for VirtualCluster objects, which only the built-in cluster has. The plane of a virtual cluster is
 * created in the same transaction as its object, and removed before its object. Maintenance reconciles the objects, so
 * a crash at any point is recovered at the next start.
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
          if (draft.old === undefined) draft.object.status = initialVirtualClusterStatus(draft.object, dependencies);
        },
        createdAlongside: ({ object }) => [dependencies.planeCreationWrite(planeIdOf(object))],
        needsReconcile: ({ object }) =>
          isReadyForRemoval(object) ||
          observedGeneration(object) !== object.metadata.generation ||
          (quarantineError(object) !== undefined) !== (object.status?.reason === quarantinedReason),
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
        mountStoredKind(store, {
          // Clients can only read the status subresource.
          ...(status === undefined ? {} : { status: { kind: virtualClusterKind, verbs: { get: status.get } } }),
          [proxySubresource]: { kind: virtualClusterProxyKind, verbs: {}, connects: true },
        }),
      ];
    },
  };
}
