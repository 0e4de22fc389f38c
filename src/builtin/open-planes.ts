import { textAt } from '@flotilla/json';
import { builtInClusterName } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { notFound } from '../api/status.ts';
import { virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { Identity } from '../auth/identity.ts';
import type { ControlPlane } from '../controlplane/control-plane.ts';
import { serviceAccountIssuer } from '../controlplane/core/accounts/account-tokens.ts';
import { type BorrowedPlane, createFleet, type Fleet } from '../controlplane/fleet/fleet.ts';
import { sizeLimitPart } from '../controlplane/fleet/size-limit.ts';
import { openKubernetesPlane } from '../controlplane/kubernetes-plane.ts';
import type { PlaneSource } from '../controlplane/maintenance/plane-stores.ts';
import type { PartDependencies } from '../controlplane/plane-part.ts';
import { virtualClustersPart } from '../controlplane/virtual/virtual-clusters-part.ts';
import type { BuiltInCluster } from '../gateway/built-in-cluster.ts';
import { preauthorizingPlane } from '../gateway/preauthorizing-plane.ts';
import { builtinHost } from '../hosts/builtin/builtin-host.ts';
import type { Host } from '../hosts/host.ts';
import type { Plane } from '../http/plane.ts';
import { storeOf } from '../registry/kind-stores.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
import type { Store } from '../store/store.ts';
import { type ComposedPlane, createPlaneComposer, type PlaneComposerOptions } from './compose-plane.ts';
import { inProcessClient } from './in-process-client.ts';
import { createPlaneHandlers, type PlaneHandlersOptions } from './plane-server.ts';
import { createVirtualApiSender } from './virtual-api.ts';
import { openVirtualPlanes, type VirtualPlanes } from './virtual-planes.ts';

export interface BuiltInClusterPlanesOptions extends PlaneComposerOptions, PlaneHandlersOptions {
  readonly store: Store;
  /** The maximum memory of all idle planes together, in bytes. Planes in use are never unloaded and do not count. */
  readonly memoryBudget: number;
  /**
   * The maximum total size of the objects in one virtual cluster, in bytes. A full virtual cluster refuses new objects
   * and updates that make an object larger.
   */
  readonly maxVirtualClusterBytes: number;
  /** Called after a write has recorded maintenance work, such as garbage collection, in the store. */
  onMaintenance(work: MaintenanceWork): void;
}

/** The Kubernetes planes: the built-in cluster and the virtual clusters on it. */
export interface BuiltInClusterPlanes {
  readonly local: ControlPlane;
  readonly fleet: Fleet;
  readonly builtIn: BuiltInCluster & { readonly virtualPlanes: VirtualPlanes };
  /** The built-in cluster as a host of virtual clusters. */
  readonly host: Host;
  /** Loads planes by ID for the maintenance workers. */
  readonly planeSource: PlaneSource;
  close(): void;
}

const never = new AbortController().signal;
/** Names the built-in cluster in in-process requests. It is not a virtual cluster, so its namespace is empty. */
const localLocation = { namespace: '', name: builtInClusterName };

/**
 * Opens the plane of the built-in cluster and keeps it loaded. The planes of virtual clusters are loaded and unloaded
 * on demand.
 */
export async function openBuiltInClusterPlanes(options: BuiltInClusterPlanesOptions): Promise<BuiltInClusterPlanes> {
  const { store, clock, log, memoryBudget, onMaintenance, tokens } = options;
  const { builtinDigest, compose } = createPlaneComposer(options);
  const compositions = new WeakMap<Plane, ComposedPlane>();
  const fleet = createFleet({
    store,
    clock,
    log,
    memoryBudget,
    builtinObjectsDigest: builtinDigest,
    async open(id, planeStore, creationRow) {
      let made: ComposedPlane | undefined;
      const plane = await openKubernetesPlane({
        id,
        store: planeStore,
        ...(creationRow === undefined ? {} : { creationRow }),
        clock,
        log,
        onMaintenanceWork: onMaintenance,
        compose(dependencies) {
          const sizeLimit = () =>
            sizeLimitPart({ maxBytes: options.maxVirtualClusterBytes, plane: () => dependencies.plane() });
          const part = id === builtInClusterName ? virtualClusters(dependencies) : sizeLimit();
          made = compose(dependencies, { parts: [part] });
          return made;
        },
      });
      if (made !== undefined) compositions.set(plane, made);
      return plane;
    },
  });

  const virtualClusters = (dependencies: PartDependencies) =>
    virtualClustersPart({
      clock,
      plane: () => dependencies.plane(),
      kubernetesVersion: options.version.gitVersion,
      planeCreationWrite: (id) => fleet.creationWrite(id),
      probePlane: (id) => fleet.withPlane(id, async () => {}),
      removePlane: (id) => fleet.remove(id),
    });

  await fleet.resumeRemovals();
  const local = await borrowedLocal(fleet);
  const virtual = openVirtualPlanes({
    virtualClusters: storeOf(local.plane.kinds, virtualClusterKind),
    async openSession(id, name) {
      const borrowed = await fleet.borrow(id);
      if (borrowed === undefined) throw notFound(groupResourceOf(virtualClusterKind), name);
      return { plane: borrowed.plane, close: borrowed.release };
    },
  });
  const { close } = virtual;
  const handlerOf = createPlaneHandlers(options);
  const serve = (plane: Plane) => handlerOf(preauthorizingPlane(plane));
  const enter = async () => ({ plane: local.plane, signal: never, close() {} });
  const authenticate = async (plane: Plane, token: string): Promise<Identity | undefined> => {
    const account = await compositions.get(plane)?.authenticate(token);
    // Service accounts of different virtual clusters can have equal names. The plane ID in the key keeps their
    // fair-queueing shares apart.
    return account && { ...account, fairQueueKey: `${plane.id}/${account.user.name}` };
  };
  const inProcess = { serve, authenticate, clock, log };
  const sendToLocal = createVirtualApiSender({ virtualPlanes: { enter }, ...inProcess });
  return {
    local: local.plane,
    fleet,
    builtIn: {
      plane: local.plane,
      virtualPlanes: virtual,
      serve,
      isTokenOf: async (planeId, token) =>
        textAt(await tokens.verify(token), 'iss') === serviceAccountIssuer(tokens.installation, planeId),
      authenticate,
    },
    host: builtinHost({
      hostClient: inProcessClient(local.plane.kinds, 'flotilla'),
      send: createVirtualApiSender({ virtualPlanes: virtual, ...inProcess }),
      sendToHost: (request) => sendToLocal(localLocation, request),
      clock,
      log,
    }),
    planeSource: fleet.planeSource,
    close() {
      close();
      fleet.close();
    },
  };
}

async function borrowedLocal(fleet: Fleet): Promise<BorrowedPlane> {
  await fleet.create(builtInClusterName);
  const local = await fleet.borrow(builtInClusterName);
  if (local === undefined) throw new Error(`the plane of the built-in cluster ${builtInClusterName} does not exist`);
  return local;
}
