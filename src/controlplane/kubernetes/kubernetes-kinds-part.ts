import type { KubeObject } from '../../api/meta.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { statusOnDemand, verbsOnDemand } from '../../registry/kind-store-on-demand.ts';
import type { MountedResource, MountedSubresource } from '../../registry/mounted-resource.ts';
import type { StoredResource } from '../../registry/resource.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import { mountStoredKind, type ServedStore } from '../../registry/verbs/stored-verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { paramChecks } from '../policies/mutating/check-params.ts';
import { mountScale } from '../scale/mount-scale.ts';
import { apiServiceKind, builtinApiServices } from './api-services.ts';
import { autoscaler, autoscalerV1 } from './autoscaling/autoscaler-versions.ts';
import { admitCertificates } from './certificates/certificate-admission.ts';
import { certificateSigningRequest } from './certificates/certificate-signing-requests.ts';
import { CustomApiServices } from './custom-api-services.ts';
import { withAdminAccess, withStatusPermissions } from './devices/admin-access.ts';
import { claimTemplate, deviceKinds } from './devices/device-kinds.ts';
import { resourceClaim } from './devices/resource-claims.ts';
import { admissionKinds } from './kinds/admission.ts';
import { appsKinds } from './kinds/apps.ts';
import { admitClaim, setDefaultClass } from './kinds/claim-admission.ts';
import { endpointKinds } from './kinds/endpoints.ts';
import { flowControlKinds } from './kinds/flow-control.ts';
import { networkingKinds } from './kinds/networking.ts';
import { node, taintNewNode } from './kinds/nodes.ts';
import { podTemplate } from './kinds/pod-templates.ts';
import { admitPod, completeNewPod } from './kinds/pods/admission/pod-admission.ts';
import type { StoreOf } from './kinds/pods/admission/refuse-pod.ts';
import { pod } from './kinds/pods/pods.ts';
import { podSubresources } from './kinds/pods/subresources/pod-subresources.ts';
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
  ...admissionKinds,
  apiServiceKind,
  ...appsKinds,
  ...batchKinds,
  certificateSigningRequest,
  ...deviceKinds,
  ...endpointKinds,
  ...flowControlKinds,
  ...networkingKinds,
  node,
  pod,
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
]
  .map(storedKubernetesKind)
  .concat(autoscaler);

/** Additional served versions of built-in kinds, in which no objects are stored. */
const otherVersions: readonly StoredKubernetesKind[] = [autoscalerV1];

const storedClaim = storedKubernetesKind(resourceClaim);
const storedClaimTemplate = storedKubernetesKind(claimTemplate);

const builtinObjects: readonly KubeObject[] = [
  ...builtinPriorityClasses,
  builtinServiceCidr,
  ...builtinServices,
  ...builtinApiServices([...fullSetKinds, ...otherVersions]),
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
    ...paramChecks(fullSetKinds, plane),
    [resourceKey(service), allocation.hooks()],
    [resourceKey(apiServiceKind), { reconcile: apiServices.reconcile }],
    [resourceKey(resourceClaim), withStatusPermissions(storedClaim, storeOf)],
    [resourceKey(claimTemplate), withAdminAccess(storedClaimTemplate, ['spec', 'spec'], storeOf)],
  ]);
  return {
    resources: [],
    resourcesOnDemand: fullSetKinds.map((kind) => withHooks(kind, hooks.get(resourceKey(kind)))),
    builtinObjects,
    start: async () => apiServices.start(),
    mount: (stores) =>
      [...fullSetKinds, ...otherVersions].map((resource) => {
        const store = stores.get(resourceKey(resource));
        if (store === undefined) throw new Error(`the control plane was opened without the kind ${resource.plural}`);
        return new MountOnDemand(resource, store, storeOf);
      }),
    completeNew(resource, object) {
      setDefaultClass(resource, object, storeOf);
      if (resource.group === '' && resource.plural === node.plural) taintNewNode(object);
      completeNewPod(resource, object, storeOf);
    },
    admit(write) {
      refuseSecondDefault(write, storeOf);
      admitClaim(write, storeOf);
      admitPod(write, storeOf);
      return admitCertificates(write);
    },
  };
}

/**
 * Returns a definition with the hooks of one plane. All planes share the rest of the definition, including the lazy
 * schema.
 */
function withHooks(kind: StoredResource, hooks: Partial<StoredResource> | undefined): StoredResource {
  if (hooks === undefined) return kind;
  const members = { ...Object.getOwnPropertyDescriptors(kind), ...Object.getOwnPropertyDescriptors(hooks) };
  return Object.defineProperties({}, members) as StoredResource;
}

/** Returns the part of a store that serves one version. Does not open the store. */
function servedStore(store: KindStore, version: StoredKubernetesKind): ServedStore {
  if (store.resource.version === version.version) return store;
  const open = () => store.inVersion(version);
  return { resource: version, verbs: verbsOnDemand(open), status: statusOnDemand(open) };
}

/** Returns a subresource that has this name and writes the status. */
function statusSubresource({ resource, status }: KindStore, subresource: string): MountedSubresource {
  if (status === undefined) throw new Error(`${resource.plural} has no status that ${subresource} could write`);
  return {
    kind: resource,
    verbs: {
      get: status.get,
      update: (context, name, sent, options) => status.update(context, name, sent, { ...options, subresource }),
      patch: (context, name, patch, options) => status.patch(context, name, patch, { ...options, subresource }),
    },
  };
}

/** A served kind whose verbs are built when they are first read, because most planes use only a few kinds. */
class MountOnDemand implements MountedResource {
  readonly kind: StoredKubernetesKind;
  readonly #store: KindStore;
  #mounted: MountedResource | undefined;

  readonly #storeOf: StoreOf;

  constructor(kind: StoredKubernetesKind, store: KindStore, storeOf: StoreOf) {
    this.kind = kind;
    this.#store = store;
    this.#storeOf = storeOf;
  }

  /**
   * All planes that serve the kind share the documents that describe the kind, so they use the same key for these
   * documents.
   */
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
    const { scale, statusSubresources = [] } = this.kind;
    this.#mounted ??= mountStoredKind(servedStore(this.#store, this.kind), {
      ...Object.fromEntries(statusSubresources.map((name) => [name, statusSubresource(this.#store, name)])),
      ...(scale === undefined ? {} : { scale: mountScale(this.#store, scale) }),
      ...(resourceKey(this.kind) === pod.plural ? podSubresources(this.#store, this.#storeOf) : {}),
    });
    return this.#mounted;
  }
}
