import { textAt } from '@flotilla/json';
import { builtInClusterName } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { notFound } from '../api/status.ts';
import { virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { ControlPlane } from '../controlplane/control-plane.ts';
import { serviceAccountIssuer } from '../controlplane/core/accounts/account-tokens.ts';
import { type BorrowedPlane, createFleet, type Fleet } from '../controlplane/fleet/fleet.ts';
import type { TaskRunner } from '../controlplane/maintenance/maintenance-task.ts';
import type { PartDependencies } from '../controlplane/plane-part.ts';
import { virtualClustersPart } from '../controlplane/virtual/virtual-clusters-part.ts';
import type { BuiltInCluster } from '../gateway/built-in-cluster.ts';
import { builtinHost } from '../hosts/builtin/builtin-host.ts';
import type { Host } from '../hosts/host.ts';
import { storeOf } from '../registry/kind-stores.ts';
import type { Store } from '../store/store.ts';
import { inProcessClient } from './in-process-client.ts';
import type { PlaneRunner } from './plane-runner.ts';
import { createPlaneTargets, type PlaneTargetsOptions, planesOnThisThread } from './plane-targets.ts';
import { openQuarantine, type Quarantine } from './quarantine.ts';
import { createVirtualApiSender } from './virtual-api.ts';
import { openVirtualPlanes, type VirtualPlanes } from './virtual-planes.ts';
import { PlaneWorkers, type PlaneWorkersOptions, type SharedThreadData } from './workers/plane-workers.ts';

export interface BuiltInClusterPlanesOptions extends PlaneTargetsOptions {
  readonly store: Store;
  /** The maximum memory of all idle planes together, in bytes. Planes in use are never unloaded and do not count. */
  readonly memoryBudget: number;
  /** The worker threads that run virtual clusters. If absent, virtual clusters run on this thread. */
  readonly workers?: PlaneWorkersSettings;
}

export interface PlaneWorkersSettings
  extends Pick<PlaneWorkersOptions, 'count' | 'stallSeconds' | 'startThread'>,
    Pick<SharedThreadData, 'sealerKeys' | 'needsAuditedBodies'> {}

/** The Kubernetes planes: the built-in cluster and the virtual clusters on it. */
export interface BuiltInClusterPlanes {
  readonly local: ControlPlane;
  readonly fleet: Fleet;
  readonly builtIn: BuiltInCluster & { readonly virtualPlanes: VirtualPlanes };
  /** The built-in cluster as a host of virtual clusters. */
  readonly host: Host;
  /** Runs the planes of virtual clusters. */
  readonly planes: PlaneRunner;
  /** The number of planes in memory, and the memory that they use, in bytes (estimated). */
  readonly loaded: PlaneRunner['loaded'];
  readonly quarantine: Quarantine;
  /**
   * Starts the worker threads, unless there is no virtual cluster: then they start when the first one is created. Called
   * when the server is ready, because the start of a thread takes as long as many requests.
   */
  startWorkers(): void;
  /** Runs maintenance tasks in all planes, including the built-in cluster. */
  readonly runTask: TaskRunner;
  close(): Promise<void>;
}

const never = new AbortController().signal;
/** Names the built-in cluster in in-process requests. It is not a virtual cluster, so its namespace is empty. */
const localLocation = { namespace: '', name: builtInClusterName };

/**
 * Opens the plane of the built-in cluster and keeps it loaded. The planes of virtual clusters are loaded and unloaded
 * on demand.
 */
export async function openBuiltInClusterPlanes(options: BuiltInClusterPlanesOptions): Promise<BuiltInClusterPlanes> {
  const { store, clock, log, memoryBudget, tokens } = options;
  const targets = createPlaneTargets(options);
  const fleet = createFleet({
    store,
    clock,
    log,
    memoryBudget,
    builtinObjectsDigest: targets.builtinDigest,
    evictElsewhere: async (id) => await workers?.evict(id),
    open: (id, planeStore, creationRow) =>
      targets.open(
        { id, store: planeStore, creationRow },
        id === builtInClusterName ? (dependencies) => virtualClusters(dependencies) : undefined,
      ),
  });
  const ownPlanes = planesOnThisThread(fleet, store, targets);
  const workers = options.workers && startPlaneWorkers(options, options.workers, fleet, () => quarantine);
  const planes: PlaneRunner = workers ?? ownPlanes;

  const virtualClusters = (dependencies: PartDependencies) =>
    virtualClustersPart({
      clock,
      plane: () => dependencies.plane(),
      kubernetesVersion: options.version.gitVersion,
      planeCreationWrite: (id) => fleet.creationWrite(id),
      probePlane: (id) => planes.probe(id),
      removePlane: (id) => fleet.remove(id),
    });

  await fleet.resumeRemovals();
  const local = await borrowedLocal(fleet);
  const virtualPlanes = openVirtualPlanes({
    virtualClusters: storeOf(local.plane.kinds, virtualClusterKind),
    async openSession(id, name) {
      const opened = await planes.open(id);
      if (opened === undefined) throw notFound(groupResourceOf(virtualClusterKind), name);
      return opened;
    },
  });
  const hostClient = inProcessClient(local.plane.kinds, 'flotilla');
  const quarantine = openQuarantine({
    virtualClusterOf: (planeId) => virtualPlanes.virtualClusterOf(planeId),
    hostClient,
    clock,
    log,
  });
  const localTarget = targets.targetOf(local.plane);
  const enterLocal = async () => ({ target: localTarget, signal: never, close() {} });
  const sendToLocal = createVirtualApiSender({ virtualPlanes: { enter: enterLocal }, clock, log });
  return {
    local: local.plane,
    fleet,
    builtIn: {
      local: localTarget,
      virtualPlanes,
      isTokenOf: async (planeId, token) =>
        textAt(await tokens.verify(token), 'iss') === serviceAccountIssuer(tokens.installation, planeId),
    },
    host: builtinHost({
      hostClient,
      send: createVirtualApiSender({ virtualPlanes, clock, log }),
      sendToHost: (request) => sendToLocal(localLocation, request),
      clock,
      log,
    }),
    planes,
    quarantine,
    get loaded() {
      const own = ownPlanes.loaded;
      if (workers === undefined) return own;
      return { planes: own.planes + workers.loaded.planes, bytes: own.bytes + workers.loaded.bytes };
    },
    startWorkers() {
      if (workers === undefined) return;
      const start = () => {
        stopListening();
        // An error is reported to the first request that needs a worker.
        void workers.start().catch(() => {});
      };
      const virtualClusterStore = storeOf(local.plane.kinds, virtualClusterKind);
      const stopListening = virtualClusterStore.listen(start);
      if (virtualClusterStore.count() > 0) start();
    },
    runTask: (id, task) => (id === builtInClusterName ? ownPlanes : planes).runTask(id, task),
    async close() {
      virtualPlanes.close();
      await workers?.close();
      fleet.close();
    },
  };
}

function startPlaneWorkers(
  options: BuiltInClusterPlanesOptions,
  { sealerKeys, needsAuditedBodies, ...settings }: PlaneWorkersSettings,
  fleet: Fleet,
  quarantine: () => Quarantine,
): PlaneWorkers {
  const { longestTokenSeconds, certificateAuthority, maxVirtualClusterBytes, maxVirtualClusterObjects } = options;
  const { bodyBytes, version } = options;
  return new PlaneWorkers({
    ...options,
    ...settings,
    fleet,
    refusalOf: (planeId) => quarantine().errorOf(planeId),
    onIncident: (incident) => void quarantine().record(incident),
    threadData: {
      sealerKeys,
      needsAuditedBodies,
      longestTokenSeconds,
      certificateAuthority,
      memoryBudget: options.memoryBudget / settings.count,
      maxVirtualClusterBytes,
      maxVirtualClusterObjects,
      bodyBytes,
      version,
    },
  });
}

async function borrowedLocal(fleet: Fleet): Promise<BorrowedPlane> {
  await fleet.create(builtInClusterName);
  const local = await fleet.borrow(builtInClusterName);
  if (local === undefined) throw new Error(`the plane of the built-in cluster ${builtInClusterName} does not exist`);
  return local;
}
