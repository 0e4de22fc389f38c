import { type FieldError, invalid } from '../../api/field-error.ts';
import { cleanupFinalizer } from '../../api/naming.ts';
import { quarantinedReason } from '../../api/quarantined-reason.ts';
import type { ApiSet } from '../../api/storage/api-set.ts';
import {
  apiSetOf,
  isReadyForRemoval,
  observedGeneration,
  planeIdOf,
  proxySubresource,
  quarantineError,
  type VirtualCluster,
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
   * Returns the write that creates a virtual cluster's plane with this set of kinds. The write is part of the
   * transaction that creates the object.
   */
  planeCreationWrite(id: string, api: ApiSet): Write;
  /** The set of kinds for new virtual clusters that do not specify one. */
  readonly defaultApi: ApiSet;
}

/**
 * The plane part for VirtualCluster objects, which exist only in the built-in cluster. The plane of a virtual cluster
 * is created in the same transaction as its object, and removed before its object. Maintenance reconciles the objects,
 * so the next start recovers from a crash at any point.
 */
export function virtualClustersPart(dependencies: VirtualClustersDependencies): PlanePart {
  return {
    resources: [
      defineResource({
        ...virtualClusterKind,
        hasStatus: true,
        nameRule: 'label',
        serverFinalizer: cleanupFinalizer,
        unownedFields: [['spec', 'api']],
        prepare(draft) {
          setDefaultApi(draft.object, draft.old === undefined ? dependencies.defaultApi : apiSetOf(draft.old.object));
          if (draft.old !== undefined) return;
          draft.object.status = initialVirtualClusterStatus(draft.object, dependencies);
        },
        validate: ({ object, old }) => (old === undefined ? [] : apiChangeErrors(object, old.object)),
        writtenAlongside: (old, next) =>
          old === undefined && next !== undefined
            ? [dependencies.planeCreationWrite(planeIdOf(next.object), apiSetOf(next.object))]
            : [],
        needsReconcile: ({ object }) =>
          isReadyForRemoval(object) ||
          observedGeneration(object) !== object.metadata.generation ||
          (quarantineError(object) !== undefined) !== (object.status?.reason === quarantinedReason),
        reconcile: (namespace, name, fence) =>
          reconcileVirtualCluster(
            storeOf(dependencies.plane().kinds, virtualClusterKind),
            { namespace, name },
            {
              ...dependencies,
              fence,
            },
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

/** Sets the default set of kinds if the object does not specify a set. An absent member means the minimal set. */
function setDefaultApi(object: VirtualCluster, defaultApi: ApiSet): void {
  if (object.spec?.api !== undefined || defaultApi === 'minimal') return;
  object.spec = { ...object.spec, api: defaultApi };
}

/**
 * Returns an error if a write changes the set of kinds. The stored objects of a kind that is no longer served would be
 * unreachable, and custom resources could have the same names as kinds that the new set adds.
 */
function apiChangeErrors(object: VirtualCluster, old: VirtualCluster): FieldError[] {
  if (apiSetOf(object) === apiSetOf(old)) return [];
  const detail = `cannot be changed from "${apiSetOf(old)}": a virtual cluster keeps the kinds that it was created with; create another virtual cluster`;
  return [invalid('spec.api', apiSetOf(object), detail)];
}
