import { setMaxListeners } from 'node:events';
import type { KubeObject } from '../../api/meta.ts';
import { serviceUnavailable } from '../../api/status.ts';
import { httpClient } from '../../client/http-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import type {
  ApiResponse,
  ClosableHost,
  ClusterApi,
  HostCallOptions,
  HostedVirtualCluster,
  HostListener,
  HostLocation,
  InstallRequest,
  InstanceDriver,
  LogRequest,
  SleepOptions,
} from '../host.ts';
import { findObject } from '../owned-object.ts';
import { createSpaceDriver } from '../spaces/space-driver.ts';
import { withoutReservedLabels } from '../without-reserved-labels.ts';
import { serviceKind } from './host-kinds.ts';
import { isolateNamespace, namespaceMetadata } from './isolation/isolate-namespace.ts';
import { applyTemplateObjects } from './isolation/template-objects.ts';
import { controlPlaneLog } from './observe/control-plane-log.ts';
import { isAsleep } from './observe/describe-virtual-cluster.ts';
import { HostCache, type HostCacheOptions, type VirtualClusterSnapshot } from './observe/host-cache.ts';
import { HostProbes } from './observe/host-probes.ts';
import { metadataOnlyFetch } from './observe/metadata-only-fetch.ts';
import { summarizeService } from './observe/object-summaries.ts';
import type { HostConnection } from './reach/host-connection.ts';
import { endpointOf, virtualClusterApi, virtualClusterNotFound } from './reach/virtual-cluster-api.ts';
import { openVirtualClusterConnections, type VirtualClusterConnections } from './reach/virtual-cluster-connections.ts';
import { controlPlaneApp } from './release/chart-labels.ts';
import { createHelm } from './release/helm.ts';
import type { HelmSettings } from './release/helm-settings.ts';
import type { HostContext } from './release/host-context.ts';
import { installRelease } from './release/install-release.ts';
import { removeRelease } from './release/remove-release.ts';
import { scaleDown, scaleUp, sleepDataLoss } from './release/scale-workloads.ts';
import { type CleanupRunner, startSleepCleanup } from './release/sleep-cleanup.ts';

export interface KubernetesHostOptions {
  /** The connection to the cluster. It belongs to the caller: `close` of the host does not close it. */
  readonly connection: HostConnection;
  readonly helm: HelmSettings;
  /** A directory for the files of helm. No other program may write to it. */
  readonly workDir: string;
  /** Runs the deletion of the pods of sleeping virtual clusters. Optional; by default, it starts immediately. */
  readonly runCleanup?: CleanupRunner;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The host driver for Kubernetes clusters. Each virtual cluster is a Helm release of the vCluster chart. Reads use a
 * cache. The cache starts one watch per kind on first use, and stops the watches after some minutes without use.
 * Operations that change a virtual cluster read the current objects from the cluster first.
 */
export function openKubernetesHost(options: KubernetesHostOptions): ClosableHost {
  return new KubernetesHost(options);
}

class KubernetesHost implements ClosableHost {
  readonly isolatesNamespaces = true;
  readonly spaces: InstanceDriver;
  readonly #connection: HostConnection;
  readonly #work: HostContext;
  readonly #probes: HostProbes;
  readonly #connections: VirtualClusterConnections;
  readonly #lanes = new KeyedSerializer();
  readonly #changes = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #stopCleanup: () => Promise<void>;
  readonly #stopListening: (() => void) | undefined;

  constructor(options: KubernetesHostOptions) {
    const { connection, clock, log } = options;
    // Each waiting operation adds a listener to this signal. 0 means that Node.js does not warn about many listeners.
    setMaxListeners(0, this.#closing.signal);
    this.#connection = connection;
    this.#work = hostWork(options, {
      // The connections to virtual clusters are closed when the cache reports changes, so the cache must run as long as
      // any connection is open.
      isInUse: () => this.#connections.size > 0,
      onIdle: () => this.#probes.forgetAll(),
    });
    const { hostClient, cache } = this.#work;
    this.#connections = openVirtualClusterConnections({
      connection,
      clock,
      log,
      direct: true,
      endpointOf: (location) => endpointOf(cache.snapshotOf(location)),
    });
    this.spaces = this.#inLanes(openSpaces(this.#work, this.#closing.signal));
    this.#probes = new HostProbes(this.#work, this.#connections);
    const runCleanup: CleanupRunner = options.runCleanup ?? ((start) => start(() => {}));
    this.#stopCleanup = runCleanup((assertCurrent) =>
      startSleepCleanup({ hostClient, cache, clock, log, assertCurrent }),
    );
    cache.listen({
      onChange: ({ namespace, name }) => {
        if (name !== undefined) this.#connections.handleChange({ namespace, name });
      },
      onGap() {},
    });
    this.#stopListening = connection.onReachable?.(() => cache.retry());
  }

  /** Runs the changes of a space one after another. The changes need no cache, because a space is one namespace. */
  #inLanes(spaces: InstanceDriver): InstanceDriver {
    return {
      ...spaces,
      install: (request, call = {}) =>
        this.#inLane(request.location, call, (signal) => spaces.install(request, { signal })),
      remove: (location, of, call = {}) =>
        this.#inLane(location, call, (signal) => spaces.remove(location, of, { signal })),
      sleep: (location, call = {}) =>
        this.#inLane(location, call, (signal) => spaces.sleep(location, { ...call, signal })),
      wake: (location, call = {}) => this.#inLane(location, call, (signal) => spaces.wake(location, { signal })),
    };
  }

  async discover({ signal = this.#closing.signal }: HostCallOptions = {}): Promise<readonly HostedVirtualCluster[]> {
    const { cache } = this.#work;
    await cache.ready(signal);
    return cache.locations().flatMap((location) => this.#probes.describeCached(cache.snapshotOf(location)) ?? []);
  }

  install(request: InstallRequest, call: HostCallOptions = {}): Promise<void> {
    return this.#change(request.location, call, (signal) => installRelease(this.#work, request, signal));
  }

  async observe(
    location: HostLocation,
    { signal = this.#closing.signal }: HostCallOptions = {},
  ): Promise<HostedVirtualCluster | undefined> {
    return await this.#probes.describe(await this.#snapshotAt(location, signal));
  }

  remove(
    location: HostLocation,
    of: { readonly owner: string; readonly uid?: string },
    call: HostCallOptions = {},
  ): Promise<boolean> {
    return this.#change(location, call, (signal) => removeRelease(this.#work, location, of, signal));
  }

  async sleep(location: HostLocation, call: SleepOptions = {}): Promise<void> {
    let isWanted = true;
    const decide = async () => {
      isWanted = (await call.isWanted?.()) ?? true;
      return isWanted;
    };
    const { clock } = this.#work;
    const sleepUnlessUsed: typeof scaleUp = (hostClient, at, signal) =>
      scaleDown(hostClient, at, { ...call, signal, isWanted: decide, clock });
    await this.#scaleTo(location, call, sleepUnlessUsed, (isSleeping) => isSleeping || !isWanted);
  }

  sleepDataLoss(location: HostLocation, call: HostCallOptions = {}): Promise<string | undefined> {
    return sleepDataLoss(this.#work.hostClient, location, this.#untilClosed(call));
  }

  wake(location: HostLocation, call?: HostCallOptions): Promise<void> {
    return this.#scaleTo(location, call, scaleUp, (isSleeping) => !isSleeping);
  }

  watch(listener: HostListener, signal: AbortSignal): Promise<void> {
    return this.#work.cache.watch(listener, signal);
  }

  clusterApi(location: HostLocation): ClusterApi {
    return virtualClusterApi(location, this.#work.cache, this.#connections);
  }

  async logs(location: HostLocation, request: LogRequest): Promise<ApiResponse> {
    const { cache } = this.#work;
    await cache.ready(request.signal);
    const snapshot = cache.snapshotOf(location);
    if (snapshot.service === undefined) throw virtualClusterNotFound(location);
    return await controlPlaneLog(this.#connection.own, snapshot, request);
  }

  async close(): Promise<void> {
    this.#closing.abort(serviceUnavailable('the connection to the cluster has been closed'));
    this.#stopListening?.();
    this.#probes.close();
    // Wait for the aborted operations, so that helm exits cleanly and its temporary files are deleted.
    const closing = [this.#stopCleanup(), this.#work.cache.close(), this.#connections.close()];
    await Promise.allSettled([...closing, ...this.#changes]);
  }

  /**
   * Runs an operation on a virtual cluster. The cache keeps running meanwhile, because the operation waits until its
   * own changes are in the cache.
   */
  #change<T>(location: HostLocation, call: HostCallOptions, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#untilClosed(call);
    return this.#work.cache.use(signal, () => this.#inLane(location, { signal }, task));
  }

  #untilClosed({ signal }: HostCallOptions): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
  }

  /** Runs the operations at one location one after another, and aborts them when the host is closed. */
  async #inLane<T>(
    { namespace, name }: HostLocation,
    call: HostCallOptions,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const combined = this.#untilClosed(call);
    const changing = this.#lanes.run(`${namespace}/${name}`, () => {
      combined.throwIfAborted();
      return task(combined);
    });
    this.#changes.add(changing);
    try {
      return await changing;
    } finally {
      this.#changes.delete(changing);
    }
  }

  /**
   * Returns the cached state of a virtual cluster. If the cache has no such virtual cluster, asks the host, because the
   * cache may not contain the newest changes yet.
   */
  async #snapshotAt(location: HostLocation, signal: AbortSignal): Promise<VirtualClusterSnapshot> {
    const { hostClient, cache } = this.#work;
    await cache.ready(signal);
    const snapshot = cache.snapshotOf(location);
    if (snapshot.service !== undefined) return snapshot;
    const service = await findObject(hostClient.resource(serviceKind), location, { signal });
    if (service === undefined || !isApiService(service)) return snapshot;
    await cache.waitUntil(location, (known) => known.service !== undefined, signal);
    return cache.snapshotOf(location);
  }

  async #scaleTo(
    location: HostLocation,
    call: HostCallOptions | undefined,
    scale: typeof scaleUp,
    isDone: (isSleeping: boolean) => boolean,
  ): Promise<void> {
    const { hostClient, cache } = this.#work;
    await this.#change(location, call ?? {}, async (signal) => {
      if (!(await scale(hostClient, location, signal))) throw virtualClusterNotFound(location);
      await cache.waitUntil(location, (snapshot) => isDone(isAsleep(snapshot)), signal);
    });
  }
}

function openSpaces(work: HostContext, closing: AbortSignal): InstanceDriver {
  return createSpaceDriver({
    isolatesNamespaces: true,
    hostClient: work.hostClient,
    // An imported namespace keeps its Pod Security level, because its pods may need it.
    namespaceMetadata: (request) =>
      request.adopt === undefined ? namespaceMetadata(request) : withoutReservedLabels(request.space ?? {}),
    applyObjects: (request, { signal = closing }) => applyTemplateObjects(work, request, signal),
    isolate: (request, { signal = closing }) => isolateNamespace(work, request, signal),
    watch: (listener, signal) => work.cache.watch(listener, signal),
    clock: work.clock,
  });
}

function hostWork(options: KubernetesHostOptions, cacheUse: Pick<HostCacheOptions, 'isInUse' | 'onIdle'>): HostContext {
  const { connection, clock, log } = options;
  const hostClient = httpClient({ server: '', fetch: connection.fetch });
  const metadataClient = httpClient({ server: '', fetch: metadataOnlyFetch(connection.fetch) });
  const cache = new HostCache({
    ...cacheUse,
    hostClient,
    metadataClient,
    async probe(signal) {
      const answer = await connection.own.send({ method: 'GET', path: '/version', headers: {}, signal });
      for await (const _ of answer.body);
    },
    clock,
    log,
  });
  return {
    hostClient,
    metadataClient,
    ownApi: { send: ({ as: _, ...request }) => connection.own.send(request) },
    callerApi: connection.api,
    helm: createHelm({
      settings: options.helm,
      kubeconfig: () => connection.programKubeconfig(),
      workDir: options.workDir,
      clock,
    }),
    settings: options.helm,
    cache,
    clock,
    openedAt: clock.elapsed(),
  };
}

function isApiService(service: KubeObject): boolean {
  return service.metadata.labels?.app === controlPlaneApp && summarizeService(service) !== undefined;
}
