import { availableParallelism } from 'node:os';
import type { Kubeconfig } from '../api/kubeconfig.ts';
import { builtInClusterName } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import {
  type BuiltInClusterPlanes,
  type BuiltInClusterPlanesOptions,
  openBuiltInClusterPlanes,
} from '../builtin/open-planes.ts';
import { tasksInPlanes } from '../controlplane/maintenance/maintenance-task.ts';
import type { Host } from '../hosts/host.ts';
import { connectToHost, type HostConnection } from '../hosts/kubernetes/reach/host-connection.ts';
import { OutgoingAddresses } from '../lib/outgoing-addresses.ts';
import { bootstrap } from '../management/bootstrap.ts';
import type { KindStores } from '../registry/kind-stores.ts';
import type { MaintenanceWork } from '../registry/write/maintenance-work.ts';
import type { RevisionCheck } from '../store/store.ts';
import { ServerMaintenance } from './background/run-maintenance.ts';
import { runOnLeader } from './background/run-on-leader.ts';
import { updateBuiltInClusterStatus } from './built-in-cluster-status.ts';
import type { ConnectedHosts } from './connected-hosts.ts';
import { type CredentialUses, openCredentialUses } from './credential-uses.ts';
import { removeAdminKey, writeAdminKey } from './data/admin-files.ts';
import { markingServer } from './marking-server.ts';
import { openConnectedHosts } from './open-connected-hosts.ts';
import { type ManagementApi, openManagementApi } from './open-management.ts';
import { createRequestedAdminKey } from './recovery/admin-key-request.ts';
import { endRestoredAccess } from './recovery/end-restored-access.ts';
import type { ServerContext } from './server-context.ts';
import { isTunneled } from './tunnels/tunnel-origin.ts';
import { UsageSampling } from './usage/open-usage.ts';

/** The control planes of the server: management API, built-in cluster with its virtual clusters, connected clusters. */
export interface ControlPlanes {
  readonly management: ManagementApi;
  readonly planes: BuiltInClusterPlanes;
  readonly connected: ConnectedHosts;
  readonly hosts: HostDirectory;
  readonly credentialUses: CredentialUses;
  readonly usage: UsageSampling;
  /** Starts the maintenance work that is due. */
  startMaintenance(): void;
  /** True if this start has created the administrator's access key. */
  readonly isNew: boolean;
}

/**
 * Finds the host of a cluster. The directory is created empty, because the management API needs it before the hosts are
 * opened.
 */
class HostDirectory {
  /** Returns the host of the built-in cluster for background work. Its transactions contain the check `fence`. */
  fencedLocal: ((fence: RevisionCheck) => Host) | undefined;
  /** The host of the built-in cluster. */
  local: Host | undefined;
  connected: ConnectedHosts | undefined;

  hostOf(cluster: string): Host | undefined {
    return cluster === builtInClusterName ? this.local : this.connected?.hostOf(cluster);
  }

  /**
   * Returns a function that finds the hosts of clusters for background work. All transactions of such work contain the
   * check `fence`.
   */
  fenced(fence: RevisionCheck | undefined): (cluster: string) => Host | undefined {
    const local = fence === undefined ? this.local : this.fencedLocal?.(fence);
    return (cluster) => (cluster === builtInClusterName ? local : this.connected?.hostOf(cluster));
  }
}

/** Opens all control planes. `url` returns the address of this server and is called only after the server listens. */
export async function openControlPlanes(server: ServerContext, url: () => string | undefined): Promise<ControlPlanes> {
  const { settings, clock, log, closing, dir, store, sealer } = server;
  const hosts = new HostDirectory();
  let maintenance: ServerMaintenance | undefined;
  const onMaintenanceWork = (work: MaintenanceWork) => maintenance?.wake(work);
  const connect = hostConnector(server);
  let usage: UsageSampling | undefined;
  const credentialUses = openCredentialUses({ store, clock, log });
  closing.add('credential uses', () => credentialUses.close());
  const management = await openManagementApi({
    store,
    sealer,
    settings: settings.management,
    signer: server.signingKeys.current,
    sign: (claims) => server.tokens.sign(claims),
    address: () => ({ root: `${url()}/${settings.apiPrefix}`, authority: server.tls.authority }),
    hasGateway: (cluster) => hosts.hostOf(cluster) !== undefined,
    clock,
    log,
    hostOf: (cluster) => hosts.hostOf(cluster),
    connect,
    credentialUses,
    usageOf: async (ring, subject) =>
      (await usage?.slotsOf(ring, subject.of === 'fleet' ? 'fleet' : `${subject.of}/${subject.uid}`)) ?? new Map(),
    onMaintenanceWork,
  });
  closing.add('management', () => management.plane.close());
  closing.add('activity retention', () => management.retention.close());
  const planes = await openPlanesOf(server, onMaintenanceWork);
  hosts.local = planes.host;
  hosts.fencedLocal = (fence) => planes.fencedHost(fence);
  closing.add('control planes', () => planes.close());
  const stopPreferring = server.replicas.followPreferredShards((shards) => planes.preferShards(shards));
  closing.add('preferred planes', stopPreferring);
  const { plane } = management;
  for (const each of [plane, planes.local]) server.freshness?.follow(each);
  const isNew = await prepareAccess(server, plane);
  const runInManagement = tasksInPlanes(store, async () => plane);
  await runLeaderTasks(server, plane.kinds, planes);
  maintenance = new ServerMaintenance({
    store,
    clock,
    log,
    runTask: (id, task, fence) => (id === plane.id ? runInManagement : planes.runTask)(id, task, fence),
  });
  let stopMaintenance: (() => Promise<void>) | undefined;
  closing.add('maintenance', () => stopMaintenance?.());
  const connected = await openConnectedHosts({
    kinds: plane.kinds,
    sealer,
    connect,
    helm: settings.helm,
    dir,
    replicas: server.replicas,
    clock,
    log,
  });
  hosts.connected = connected;
  closing.add('connected clusters', () => connected.close());
  const sampling = openUsage(server, management, planes, connected);
  usage = sampling;
  closing.add('usage', () => sampling.close());
  return {
    management,
    planes,
    connected,
    hosts,
    credentialUses,
    usage: sampling,
    isNew,
    startMaintenance() {
      management.retention.start();
      stopMaintenance = maintenance?.run(server.replicas);
    },
  };
}

/** Returns the function that connects to clusters, directly or through the tunnel of an agent. */
function hostConnector({ settings, clock, tunnels }: ServerContext) {
  const { deniedCIDRs, allowPlainHttp } = settings.management.hosts;
  const policy = { addresses: new OutgoingAddresses(deniedCIDRs), allowPlainHttp };
  return (kubeconfig: Kubeconfig, agentOf: string | undefined): HostConnection => {
    if (agentOf === undefined) return connectToHost(kubeconfig, { clock, policy });
    return connectToHost(kubeconfig, { clock, ...(isTunneled(kubeconfig) ? { tunnel: tunnels.to(agentOf) } : {}) });
  };
}

/**
 * Creates the first objects and missing access keys of administrators. After a restore, also revokes the credentials
 * that the backup contained. Returns true if an access key was created.
 */
async function prepareAccess(
  { dir, store, signingKeys, auditLog, clock, log }: ServerContext,
  plane: ManagementApi['plane'],
): Promise<boolean> {
  const newKey = await bootstrap(plane.kinds, {
    saveKey: (key) => writeAdminKey(dir, key),
    async discardKey() {
      await removeAdminKey(dir);
      log.info({}, 'another server has created the access key of the administrator; this server has no admin.key');
    },
    refresh: async () => {
      await plane.freshRevision?.();
    },
  });
  await endRestoredAccess({ store, kinds: plane.kinds, signingKeys, log });
  const hasRequestedKey = await createRequestedAdminKey({ dir, kinds: plane.kinds, auditLog, clock, log });
  return newKey !== undefined || hasRequestedKey;
}

function openUsage(
  { replicaId, store, replicas, settings, clock, log }: ServerContext,
  { plane }: ManagementApi,
  { planes, measuresWork }: BuiltInClusterPlanes,
  connected: ConnectedHosts,
): UsageSampling {
  return new UsageSampling({
    id: replicaId,
    store,
    kinds: plane.kinds,
    replicas,
    sampleSeconds: settings.usage.sampleSeconds,
    planes,
    measuresWork,
    connectionOf: (cluster) => connected.connectionOf(cluster),
    clock,
    log,
  });
}

/**
 * Runs the tasks that only one server performs after each start. If this server does not share the store, resolves
 * after the tasks have ended.
 */
async function runLeaderTasks(
  { store, replicas, closing, version, log }: ServerContext,
  kinds: KindStores,
  planes: BuiltInClusterPlanes,
): Promise<void> {
  let running = Promise.resolve();
  const stop = runOnLeader(replicas, (fence) => {
    running = updateBuiltInClusterStatus(kinds, planes.local.kinds, version.gitVersion, fence);
    if (store.isShared) running = Promise.all([running, planes.fleet.resumeRemovals(fence)]).then(() => {});
    const done = running.catch((error: unknown) =>
      log.warn({ error: String(error) }, 'a task of the leader failed; the next leader repeats it'),
    );
    return () => done;
  });
  closing.add('leader tasks', stop);
  await running.catch((error: unknown) => {
    // Ignores the error, because a server with a full disk must start, so that users can delete objects. The next start
    // repeats the tasks.
    if (!(error instanceof StatusError) || error.code !== insufficientStorageCode) throw error;
  });
}

const insufficientStorageCode = 507;

function openPlanesOf(
  server: ServerContext,
  onMaintenanceWork: (work: MaintenanceWork) => void,
): Promise<BuiltInClusterPlanes> {
  const { settings, tls } = server;
  return openBuiltInClusterPlanes({
    store: server.store,
    clock: server.clock,
    log: server.log,
    sealing: server.sealer,
    tokens: server.tokens,
    longestTokenSeconds: settings.planes.maxTokenTTL,
    webhookAddresses: settings.planes.webhookAddresses,
    ...(tls.authority === undefined ? {} : { certificateAuthority: tls.authority }),
    memoryBudget: settings.planes.memoryBytes,
    defaultApi: settings.planes.api,
    maxVirtualClusterBytes: settings.planes.maxBytes,
    maxVirtualClusterObjects: settings.planes.maxObjects,
    bodyBytes: settings.limits.bodyBytes,
    version: server.version,
    healthChecks: server.healthChecks,
    onMaintenance: onMaintenanceWork,
    server: markingServer(server),
    ...workersOf(server),
  });
}

/**
 * Returns the settings of the worker threads that run virtual clusters; empty if virtual clusters run on this thread.
 */
function workersOf(server: ServerContext): Pick<BuiltInClusterPlanesOptions, 'workers'> {
  const { settings, threads, sealerKeys } = server;
  const { workers: count = availableParallelism(), stallSeconds } = settings.planes;
  if (threads === undefined || count === 0) return {};
  return {
    workers: {
      count,
      stallSeconds,
      startThread: threads.planes,
      sealerKeys,
    },
  };
}
