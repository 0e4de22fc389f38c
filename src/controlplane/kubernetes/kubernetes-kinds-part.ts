import type { KubeObject } from '../../api/meta.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { StoredResource } from '../../registry/resource.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { mountScale } from '../scale/mount-scale.ts';
import { apiServiceKind, builtinApiServices } from './api-services.ts';
import { CustomApiServices } from './custom-api-services.ts';
import { appsKinds } from './kinds/apps.ts';
import { horizontalPodAutoscaler } from './kinds/autoscalers.ts';
import { admitClaim, setDefaultClass } from './kinds/claim-admission.ts';
import { endpointKinds } from './kinds/endpoints.ts';
import { flowControlKinds } from './kinds/flow-control.ts';
import { networkingKinds } from './kinds/networking.ts';
import { podTemplate } from './kinds/pod-templates.ts';
import { policyKinds } from './kinds/policy.ts';
import { runtimeClass } from './kinds/runtime-classes.ts';
import { builtinPriorityClasses, refuseSecondDefault, schedulingKinds } from './kinds/scheduling.ts';
import { builtinServiceCidr, ipAddress, serviceCidr } from './kinds/service-ranges.ts';
import { builtinServices, service } from './kinds/services.ts';
import { storageKinds } from './kinds/storage.ts';
import { volumeAttachment, volumeKinds } from './kinds/volumes.ts';
import { batchKinds } from './kinds/workloads/batch.ts';
import { replicationController } from './kinds/workloads/replication-controllers.ts';
import { type StoredKubernetesKind, storedKubernetesKind } from './kubernetes-kind.ts';
import { ServiceAllocation } from './services/service-allocation.ts';

/** The kinds that only planes with the full set of kinds serve. All planes share their definitions. */
export const fullSetKinds: readonly StoredKubernetesKind[] = [
  apiServiceKind,
  ...appsKinds,
  horizontalPodAutoscaler,
  ...batchKinds,
  ...endpointKinds,
  ...flowControlKinds,
  ...networkingKinds,
  podTemplate,
  ...policyKinds,
  replicationController,
  runtimeClass,
  ...schedulingKinds,
  service,
  ipAddress,
  serviceCidr,
  ...storageKinds,
  volumeAttachment,
  ...volumeKinds,
].map(storedKubernetesKind);

const builtinObjects: readonly KubeObject[] = [
  ...builtinPriorityClasses,
  builtinServiceCidr,
  ...builtinServices,
  ...builtinApiServices(fullSetKinds),
];

/** The built-in kinds of Kubernetes that only planes with the full set of kinds serve. */
export function kubernetesKindsPart({ plane, log }: Pick<PartDependencies, 'plane' | 'log'>): PlanePart {
  const openStoreOf = (row: { plural: string; group: string }) => {
    const store = plane().kinds.get(resourceKey(row));
    if (store === undefined) throw new Error(`the control plane was opened without the kind ${row.plural}`);
    return store;
  };
  const allocation = new ServiceAllocation({
    services: () => openStoreOf(service),
    addresses: () => openStoreOf(ipAddress),
  });
  const storeOf = (key: string) => plane().kinds.get(key);
  const apiServices = new CustomApiServices({ storeOf, log });
  const hooks = new Map<string, Partial<StoredResource>>([
    [resourceKey(service), allocation.hooks()],
    [resourceKey(apiServiceKind), { reconcile: apiServices.reconcile }],
  ]);
  return {
    resources: [],
    resourcesOnDemand: fullSetKinds.map((kind) => withHooks(kind, hooks.get(resourceKey(kind)))),
    builtinObjects,
    start: async () => apiServices.start(),
    mount: (stores) =>
      fullSetKinds.map((resource) => {
        const store = stores.get(resourceKey(resource));
        if (store === undefined) throw new Error(`the control plane was opened without the kind ${resource.plural}`);
        return new MountOnDemand(resource, store);
      }),
    completeNew: (resource, object) => setDefaultClass(resource, object, storeOf),
    admit(write) {
      refuseSecondDefault(write, storeOf);
      admitClaim(write, storeOf);
    },
  };
}

/** Returns a definition with hooks of one plane. All planes share the other members, including the lazy schema. */
function withHooks(kind: StoredResource, hooks: Partial<StoredResource> | undefined): StoredResource {
  if (hooks === undefined) return kind;
  const members = { ...Object.getOwnPropertyDescriptors(kind), ...Object.getOwnPropertyDescriptors(hooks) };
  return Object.defineProperties({}, members) as StoredResource;
}

/** A served kind whose verbs are made when they are first read, because most planes use few of the kinds. */
class MountOnDemand implements MountedResource {
  readonly kind: StoredKubernetesKind;
  readonly #store: KindStore;
  #mounted: MountedResource | undefined;

  constructor(kind: StoredKubernetesKind, store: KindStore) {
    this.kind = kind;
    this.#store = store;
  }

  /** Documents about the kind are the same in all planes that serve it. */
  get documentKey(): object {
    return this.kind;
  }

  get unsupported(): Readonly<Record<string, string>> {
    return this.#mount().unsupported ?? {};
  }

  get verbs(): MountedResource['verbs'] {
    return this.#mount().verbs;
  }

  get subresources(): MountedResource['subresources'] {
    return this.#mount().subresources;
  }

  #mount(): MountedResource {
    const { scale } = this.kind;
    this.#mounted ??= mountStoredKind(
      this.#store,
      scale === undefined ? {} : { scale: mountScale(this.#store, scale) },
    );
    return this.#mounted;
  }
}
