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
  LogRequest,
} from '../host.ts';
import { findObject } from '../owned-object.ts';
import { serviceKind } from './host-kinds.ts';
import { controlPlaneLog } from './observe/control-plane-log.ts';
import { isAsleep } from './observe/describe-virtual-cluster.ts';
import { HostCache, type VirtualClusterSnapshot } from './observe/host-cache.ts';
import { HostProbes } from './observe/host-probes.ts';
import { metadataOnly } from './observe/metadata-only.ts';
import { summarizeService } from './observe/object-summaries.ts';
import { endpointOf, guardedApi, noVirtualCluster } from './reach/guarded-api.ts';
import type { HostConnection } from './reach/host-connection.ts';
import { openVirtualClusterConnections, type VirtualClusterConnections } from './reach/virtual-cluster-connections.ts';
import { controlPlaneApp } from './release/chart-labels.ts';
import { createHelm } from './release/helm.ts';
import type { HelmSettings } from './release/helm-settings.ts';
import type { HostContext } from './release/host-context.ts';
import { installRelease } from './release/install-release.ts';
import { removeRelease } from './release/remove-release.ts';
import { scaleDown, scaleUp } from './release/scale-workloads.ts';
import { createSleepCleanup } from './release/sleep-cleanup.ts';

export interface KubernetesHostOptions {
  /** The caller owns it; closing the host leaves it open. */
  readonly connection: HostConnection;
  readonly helm: HelmSettings;
  /** A directory for helm that only this server writes to. */
  readonly workDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The host driver for Kubernetes clusters: each virtual cluster is a release of vCluster's chart. Reads use a cache
 * with one watch per kind, started on first use; operations that change something read the cluster itself first.
 */
export function openKubernetesHost(options: KubernetesHostOptions): ClosableHost {
  return new KubernetesHost(options);
}

class KubernetesHost implements ClosableHost {
  readonly #connection: HostConnection;
  readonly #work: HostContext;
  readonly #probes: HostProbes;
  readonly #connections: VirtualClusterConnections;
  readonly #lanes = new KeyedSerializer();
  readonly #changes = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(options: KubernetesHostOptions) {
    const { connection, clock, log } = options;
    // There is one listener per virtual cluster that waits.
    setMaxListeners(0, this.#closing.signal);
    this.#connection = connection;
    this.#work = hostWork(options);
    const { hostClient, cache } = this.#work;
    this.#connections = openVirtualClusterConnections({
      connection,
      clock,
      log,
      direct: true,
      endpointOf: (place) => endpointOf(cache.snapshotOf(place)),
    });
    this.#probes = new HostProbes(this.#work, this.#connections);
    cache.listen(createSleepCleanup({ hostClient, cache, clock, log, signal: this.#closing.signal }));
    cache.listen({
      onChange: ({ namespace, name }) => {
        if (name !== undefined) this.#connections.handleChange({ namespace, name });
      },
      onGap() {},
    });
  }

  async discover({ signal = this.#closing.signal }: HostCallOptions = {}): Promise<readonly HostedVirtualCluster[]> {
    const { cache } = this.#work;
    await cache.ready(signal);
    return cache.locations().flatMap((place) => this.#probes.describeCached(cache.snapshotOf(place)) ?? []);
  }

  install(wanted: InstallRequest, call: HostCallOptions = {}): Promise<void> {
    return this.#change(wanted.location, call, (signal) => installRelease(this.#work, wanted, signal));
  }

  async observe(
    place: HostLocation,
    { signal = this.#closing.signal }: HostCallOptions = {},
  ): Promise<HostedVirtualCluster | undefined> {
    return await this.#probes.describe(await this.#snapshotAt(place, signal));
  }

  remove(
    place: HostLocation,
    of: { readonly owner: string; readonly uid?: string },
    call: HostCallOptions = {},
  ): Promise<boolean> {
    return this.#change(place, call, (signal) => removeRelease(this.#work, place, of, signal));
  }

  sleep(place: HostLocation, call?: HostCallOptions): Promise<void> {
    return this.#scaleTo(place, call, scaleDown, true);
  }

  wake(place: HostLocation, call?: HostCallOptions): Promise<void> {
    return this.#scaleTo(place, call, scaleUp, false);
  }

  watch(listener: HostListener, signal: AbortSignal): Promise<void> {
    return this.#work.cache.watch(listener, signal);
  }

  clusterApi(place: HostLocation): ClusterApi {
    return guardedApi(place, this.#work.cache, this.#connections);
  }

  async logs(place: HostLocation, wanted: LogRequest): Promise<ApiResponse> {
    const { cache } = this.#work;
    await cache.ready(wanted.signal);
    const facts = cache.snapshotOf(place);
    if (facts.service === undefined) throw noVirtualCluster(place);
    return await controlPlaneLog(this.#connection.own, facts, wanted);
  }

  async close(): Promise<void> {
    this.#closing.abort(serviceUnavailable('the connection to the cluster has been closed'));
    this.#probes.close();
    // Lets helm exit cleanly and deletes its temporary files before the server stops.
    await Promise.allSettled([this.#work.cache.close(), this.#connections.close(), ...this.#changes]);
  }

  /** Serializes the operations on one virtual cluster, and aborts them when the host is closed. */
  async #change<T>(
    { namespace, name }: HostLocation,
    { signal }: HostCallOptions,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const combined = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    await this.#work.cache.ready(combined);
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

  /** Reads from the cache. If it has no such virtual cluster, asks the host, because the cache may lag behind. */
  async #snapshotAt(place: HostLocation, signal: AbortSignal): Promise<VirtualClusterSnapshot> {
    const { hostClient, cache } = this.#work;
    await cache.ready(signal);
    const facts = cache.snapshotOf(place);
    if (facts.service !== undefined) return facts;
    const service = await findObject(hostClient.resource(serviceKind), place, { signal });
    if (service === undefined || !isApiService(service)) return facts;
    await cache.waitUntil(place, (known) => known.service !== undefined, signal);
    return cache.snapshotOf(place);
  }

  async #scaleTo(
    place: HostLocation,
    call: HostCallOptions | undefined,
    scale: typeof scaleDown,
    expectAsleep: boolean,
  ): Promise<void> {
    const { hostClient, cache } = this.#work;
    await this.#change(place, call ?? {}, async (signal) => {
      if (!(await scale(hostClient, place, signal))) throw noVirtualCluster(place);
      await cache.waitUntil(place, (facts) => isAsleep(facts) === expectAsleep, signal);
    });
  }
}

function hostWork(options: KubernetesHostOptions): HostContext {
  const { connection, clock, log } = options;
  const hostClient = httpClient({ server: '', fetch: connection.fetch });
  const metadataClient = httpClient({ server: '', fetch: metadataOnly(connection.fetch) });
  const cache = new HostCache({
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
    helm: createHelm({ settings: options.helm, kubeconfig: connection.kubeconfig, workDir: options.workDir, clock }),
    settings: options.helm,
    cache,
    clock,
    openedAt: clock.elapsed(),
  };
}

function isApiService(service: KubeObject): boolean {
  return service.metadata.labels?.app === controlPlaneApp && summarizeService(service) !== undefined;
}
