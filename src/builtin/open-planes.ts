import { textAt } from '@flotilla/json';
import { builtInClusterName } from '../api/naming.ts';
import { groupResourceOf } from '../api/resource.ts';
import { notFound } from '../api/status.ts';
import type { ApiSet } from '../api/storage/api-set.ts';
import { planeIdOf, virtualClusterKind } from '../api/storage/virtual-cluster.ts';
import type { ControlPlane } from '../controlplane/control-plane.ts';
import { serviceAccountIssuer } from '../controlplane/core/accounts/account-tokens.ts';
import { type BorrowedPlane, createFleet, type Fleet } from '../controlplane/fleet/fleet.ts';
import type { TaskRunner } from '../controlplane/maintenance/maintenance-task.ts';
import type { PartDependencies, PlanePart } from '../controlplane/plane-part.ts';
import { virtualClustersPart } from '../controlplane/virtual/virtual-clusters-part.ts';
import type { BuiltInCluster } from '../gateway/built-in-cluster.ts';
import type { PlaneTarget } from '../gateway/gateway-target.ts';
import { builtinHost } from '../hosts/builtin/builtin-host.ts';
import type { Host } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { storeOf } from '../registry/kind-stores.ts';
import type { RevisionCheck, Store } from '../store/store.ts';
import { inProcessClient } from './in-process-client.ts';
import type { OpenedPlane, PlaneRunner } from './plane-runner.ts';
import { createPlaneTargets, type PlaneTargetsOptions, planesOnThisThread } from './plane-targets.ts';
import { openQuarantine, type Quarantine } from './quarantine.ts';
import { withSlowRequestLimit } from './slow-request-limit.ts';
import { createVirtualApiSender } from './virtual-api.ts';
import { openVirtualPlanes, type VirtualPlanes, type VirtualPlanesOptions } from './virtual-planes.ts';
import { type MarkingServer, WorkMarks } from './work-marks.ts';
import { PlaneWorkers, type PlaneWorkersOptions, type SharedThreadData } from './workers/plane-workers.ts';

export interface BuiltInClusterPlanesOptions extends PlaneTargetsOptions {
  readonly store: Store;
  /** The maximum memory of all idle planes together, in bytes. Planes in use are never unloaded and do not count. */
  readonly memoryBudget: number;
  /** The set of kinds that a new virtual cluster serves if it does not choose one. */
  readonly defaultApi: ApiSet;
  /** The worker threads that run virtual clusters. If absent, virtual clusters run on this thread. */
  readonly workers?: PlaneWorkersSettings;
  /**
   * Describes this process. Required if several processes share the store; by default, no other process uses the store.
   */
  readonly server?: MarkingServer;
}

export interface PlaneWorkersSettings
  extends Pick<PlaneWorkersOptions, 'count' | 'stallSeconds' | 'startThread'>,
    Pick<SharedThreadData, 'sealerKeys'> {}

/** The Kubernetes planes: the built-in cluster and the virtual clusters on it. */
export interface BuiltInClusterPlanes {
  readonly local: ControlPlane;
  readonly fleet: Fleet;
  readonly builtIn: BuiltInCluster & { readonly virtualPlanes: VirtualPlanes };
  /** The built-in cluster as a host of virtual clusters. */
  readonly host: Host;
  /**
   * Returns the built-in cluster as a host for background work: all its transactions contain the check `fence`
   * (`RequestContext.fence`).
   */
  fencedHost(fence: RevisionCheck): Host;
  /** Runs the planes of virtual clusters. */
  readonly planes: PlaneRunner;
  /** The number of planes in memory, and the memory that they use, in bytes (estimated). */
  readonly loaded: PlaneRunner['loaded'];
  readonly quarantine: Quarantine;
  /** Sets the shards whose planes stay in memory (`Fleet.preferShards`). */
  preferShards(shards: readonly string[]): void;
  /**
   * Makes the worker threads start when a virtual cluster is created or changed, before its first request. Without this
   * call, a worker starts with the first request to one of its planes, so unused virtual clusters need no threads.
   */
  startWorkersAhead(): void;
  /** True if virtual clusters run on worker threads, so the work for each of them is measured. */
  readonly measuresWork: boolean;
  /** Runs maintenance tasks in all planes, including the built-in cluster. */
  readonly runTask: TaskRunner;
  close(): Promise<void>;
}

const never = new AbortController().signal;
/**
 * The location of the built-in cluster in in-process requests. The built-in cluster is not a virtual cluster, so the
 * namespace is empty.
 */
const localLocation = { namespace: '', name: builtInClusterName };

/**
 * Opens the plane of the built-in cluster and keeps it loaded. The planes of virtual clusters are loaded and unloaded
 * on demand.
 */
export async function openBuiltInClusterPlanes(options: BuiltInClusterPlanesOptions): Promise<BuiltInClusterPlanes> {
  const { store, clock, log, memoryBudget, tokens, server } = options;
  const marks = await WorkMarks.open({ store, subject: 'planes', server, clock, log });
  const targets = createPlaneTargets(options);
  const fleet = createFleet({
    store,
    clock,
    log,
    memoryBudget,
    builtinObjectsDigest: (api) => targets.builtinDigest(api),
    staysLoaded: (id) => id === builtInClusterName,
    evictElsewhere: async (id) => await workers?.evict(id),
    open: (id, planeStore, creationRow) =>
      targets.open(
        { id, store: planeStore, creationRow },
        id === builtInClusterName ? (dependencies) => virtualClusters(dependencies) : undefined,
      ),
  });
  const ownPlanes = planesOnThisThread(fleet, store, targets);
  const workers =
    options.workers && startPlaneWorkers(options, options.workers, { fleet, marks, quarantine: () => quarantine });
  const planes: PlaneRunner = workers ?? withSlowRequestLimit(ownPlanes, clock);

  const virtualClusters = virtualClustersOf(options, fleet, planes);

  // Resume removals here only if the store is not shared. In a shared store, one of the servers resumes the removals.
  if (!store.isShared) await fleet.resumeRemovals();
  const local = await borrowedLocal(fleet);
  const localVirtualClusters = storeOf(local.plane.kinds, virtualClusterKind);
  if (workers !== undefined && store.isShared) evictRemovedPlanes(localVirtualClusters, workers);
  const virtualPlanes = openVirtualPlanes({
    virtualClusters: localVirtualClusters,
    openSession: (id, name) => openSession(planes, id, name),
  });
  const hostClient = inProcessClient(local.plane.kinds, 'flotilla');
  const quarantine = await openQuarantine({
    virtualClusterOf: (planeId) => virtualPlanes.virtualClusterOf(planeId),
    hostClient,
    marks,
    clock,
    log,
  });
  const localTarget = targets.targetOf(local.plane);
  const hostWith = (fence?: RevisionCheck) =>
    hostOfVirtualClusters({ local: local.plane, localTarget, virtualPlanes, clock, log }, fence);
  return {
    local: local.plane,
    fleet,
    builtIn: {
      local: localTarget,
      virtualPlanes,
      isTokenOf: async (planeId, token) =>
        textAt(await tokens.verify(token), 'iss') === serviceAccountIssuer(tokens.installation, planeId),
    },
    host: hostWith(),
    fencedHost: (fence) => hostWith(fence),
    planes,
    quarantine,
    measuresWork: workers !== undefined,
    get loaded() {
      const own = ownPlanes.loaded;
      if (workers === undefined) return own;
      return { planes: own.planes + workers.loaded.planes, bytes: own.bytes + workers.loaded.bytes };
    },
    preferShards(shards) {
      fleet.preferShards(shards);
      workers?.preferShards(shards);
    },
    startWorkersAhead() {
      if (workers !== undefined) startAtFirstChange(workers, localVirtualClusters);
    },
    runTask: (id, task, fence) => (id === builtInClusterName ? ownPlanes : planes).runTask(id, task, fence),
    async close() {
      virtualPlanes.close();
      await workers?.close();
      await marks.close();
      fleet.close();
    },
  };
}

async function openSession(planes: PlaneRunner, id: string, name: string): Promise<OpenedPlane> {
  const opened = await planes.open(id);
  if (opened === undefined) throw notFound(groupResourceOf(virtualClusterKind), name);
  return opened;
}

/** Returns the part of the built-in cluster that manages the virtual clusters on it. */
function virtualClustersOf(
  { clock, version, defaultApi }: BuiltInClusterPlanesOptions,
  fleet: Fleet,
  planes: PlaneRunner,
): (dependencies: PartDependencies) => PlanePart {
  return (dependencies) =>
    virtualClustersPart({
      clock,
      plane: () => dependencies.plane(),
      kubernetesVersion: version.gitVersion,
      planeCreationWrite: (id, api) => fleet.creationWrite(id, api),
      defaultApi,
      probePlane: (id) => planes.probe(id),
      removePlane: (id, fence) => fleet.remove(id, fence),
    });
}

interface HostParts {
  readonly local: ControlPlane;
  readonly localTarget: PlaneTarget;
  readonly virtualPlanes: VirtualPlanes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns the built-in cluster as a host of virtual clusters. With `fence`, all its transactions contain this check. */
function hostOfVirtualClusters(
  { local, localTarget, virtualPlanes, clock, log }: HostParts,
  fence?: RevisionCheck,
): Host {
  const enterLocal = async () => ({ target: localTarget, signal: never, close() {} });
  const sendToLocal = createVirtualApiSender({ virtualPlanes: { enter: enterLocal }, clock, log, fence });
  return builtinHost({
    hostClient: inProcessClient(local.kinds, 'flotilla', fence),
    send: createVirtualApiSender({ virtualPlanes, clock, log, fence }),
    sendToHost: (request) => sendToLocal(localLocation, request),
    clock,
    log,
  });
}

/** Starts the workers when a virtual cluster is created or changed for the first time. */
function startAtFirstChange(workers: PlaneWorkers, virtualClusters: VirtualPlanesOptions['virtualClusters']): void {
  const stopListening = virtualClusters.listen(() => {
    stopListening();
    // Ignore an error here: the first request that needs a worker reports it.
    void workers.start().catch(() => {});
  });
}

/** Makes the workers unload the planes of virtual clusters that other processes remove. */
function evictRemovedPlanes(virtualClusters: VirtualPlanesOptions['virtualClusters'], workers: PlaneWorkers): void {
  virtualClusters.listen(({ before, after }) => {
    // Ignore an error: a worker that has ended has no planes.
    if (after === undefined && before !== undefined) void workers.evict(planeIdOf(before.object)).catch(() => {});
  });
}

interface WorkerServices {
  readonly fleet: Fleet;
  readonly marks: WorkMarks;
  quarantine(): Quarantine;
}

function startPlaneWorkers(
  options: BuiltInClusterPlanesOptions,
  { sealerKeys, ...settings }: PlaneWorkersSettings,
  { fleet, marks, quarantine }: WorkerServices,
): PlaneWorkers {
  const { longestTokenSeconds, certificateAuthority, maxVirtualClusterBytes, maxVirtualClusterObjects } = options;
  const { bodyBytes, version, webhookAddresses } = options;
  return new PlaneWorkers({
    ...options,
    ...settings,
    fleet,
    marks,
    refusalOf: (planeId) => quarantine().errorOf(planeId),
    onIncident: (incident) => void quarantine().record(incident),
    threadData: {
      sealerKeys,
      longestTokenSeconds,
      webhookAddresses,
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
  if (local === undefined)
    throw new Error(`the control plane of the built-in cluster ${builtInClusterName} does not exist`);
  return local;
}
