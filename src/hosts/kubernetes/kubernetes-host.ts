import { setMaxListeners } from 'node:events';
import type { KubeObject } from '../../api/meta.ts';
import { serviceUnavailable } from '../../api/status.ts';
import { httpClient } from '../../client/http-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lanes } from '../../lib/lanes.ts';
import type { Log } from '../../lib/log.ts';
import type {
  ApiResponse,
  ClosableHost,
  ClusterApi,
  HostCall,
  HostedVirtualCluster,
  HostListener,
  HostPlace,
  Installation,
  LogRequest,
} from '../host.ts';
import { findObject } from '../owned-object.ts';
import { controlPlaneApp } from './chart-labels.ts';
import { controlPlaneLog } from './control-plane-log.ts';
import { isAsleep } from './describe-virtual-cluster.ts';
import { fallAsleep } from './fall-asleep.ts';
import { endpointOf, guardedWay, noVirtualCluster } from './guarded-way.ts';
import { createHelm } from './helm.ts';
import type { HelmSettings } from './helm-settings.ts';
import type { HostConnection } from './host-connection.ts';
import { HostCopies, type PlaceFacts } from './host-copies.ts';
import { serviceFact } from './host-facts.ts';
import { serviceKind } from './host-kinds.ts';
import { HostProbes } from './host-probes.ts';
import type { HostWork } from './host-work.ts';
import { installRelease } from './install-release.ts';
import { metadataOnly } from './metadata-only.ts';
import { openWays, type VirtualClusterWays } from './reach-virtual-cluster.ts';
import { removeRelease } from './remove-release.ts';
import { scaleDown, scaleUp } from './scale-workloads.ts';

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
  readonly #work: HostWork;
  readonly #probes: HostProbes;
  readonly #connections: VirtualClusterWays;
  readonly #lanes = new Lanes();
  readonly #changes = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(options: KubernetesHostOptions) {
    const { connection, clock, log } = options;
    // There is one listener per virtual cluster that waits.
    setMaxListeners(0, this.#closing.signal);
    this.#connection = connection;
    this.#work = hostWork(options);
    const { hostClient, copies } = this.#work;
    this.#connections = openWays({
      connection,
      clock,
      log,
      direct: true,
      endpointOf: (place) => endpointOf(copies.factsOf(place)),
    });
    this.#probes = new HostProbes(this.#work, this.#connections);
    copies.listen(fallAsleep({ hostClient, copies, clock, log, signal: this.#closing.signal }));
    copies.listen({
      onChange: ({ namespace, name }) => {
        if (name !== undefined) this.#connections.changed({ namespace, name });
      },
      onGap() {},
    });
  }

  async discover({ signal = this.#closing.signal }: HostCall = {}): Promise<readonly HostedVirtualCluster[]> {
    const { copies } = this.#work;
    await copies.ready(signal);
    return copies.places().flatMap((place) => this.#probes.describeCached(copies.factsOf(place)) ?? []);
  }

  install(wanted: Installation, call: HostCall = {}): Promise<void> {
    return this.#change(wanted.place, call, (signal) => installRelease(this.#work, wanted, signal));
  }

  async observe(
    place: HostPlace,
    { signal = this.#closing.signal }: HostCall = {},
  ): Promise<HostedVirtualCluster | undefined> {
    return await this.#probes.describe(await this.#snapshotAt(place, signal));
  }

  remove(
    place: HostPlace,
    of: { readonly owner: string; readonly uid?: string },
    call: HostCall = {},
  ): Promise<boolean> {
    return this.#change(place, call, (signal) => removeRelease(this.#work, place, of, signal));
  }

  sleep(place: HostPlace, call?: HostCall): Promise<void> {
    return this.#scaleTo(place, call, scaleDown, true);
  }

  wake(place: HostPlace, call?: HostCall): Promise<void> {
    return this.#scaleTo(place, call, scaleUp, false);
  }

  follow(listener: HostListener, signal: AbortSignal): Promise<void> {
    return this.#work.copies.follow(listener, signal);
  }

  reach(place: HostPlace): ClusterApi {
    return guardedWay(place, this.#work.copies, this.#connections);
  }

  async logs(place: HostPlace, wanted: LogRequest): Promise<ApiResponse> {
    const { copies } = this.#work;
    await copies.ready(wanted.signal);
    const facts = copies.factsOf(place);
    if (facts.service === undefined) throw noVirtualCluster(place);
    return await controlPlaneLog(this.#connection.own, facts, wanted);
  }

  async close(): Promise<void> {
    this.#closing.abort(serviceUnavailable('the connection to the cluster has been closed'));
    this.#probes.close();
    // Lets helm exit cleanly and deletes its temporary files before the server stops.
    await Promise.allSettled([this.#work.copies.close(), this.#connections.close(), ...this.#changes]);
  }

  /** Serializes the operations on one virtual cluster, and aborts them when the host is closed. */
  async #change<T>(
    { namespace, name }: HostPlace,
    { signal }: HostCall,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const combined = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    await this.#work.copies.ready(combined);
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
  async #snapshotAt(place: HostPlace, signal: AbortSignal): Promise<PlaceFacts> {
    const { hostClient, copies } = this.#work;
    await copies.ready(signal);
    const facts = copies.factsOf(place);
    if (facts.service !== undefined) return facts;
    const service = await findObject(hostClient.resource(serviceKind), place, { signal });
    if (service === undefined || !isApiService(service)) return facts;
    await copies.until(place, (known) => known.service !== undefined, signal);
    return copies.factsOf(place);
  }

  async #scaleTo(
    place: HostPlace,
    call: HostCall | undefined,
    scale: typeof scaleDown,
    expectAsleep: boolean,
  ): Promise<void> {
    const { hostClient, copies } = this.#work;
    await this.#change(place, call ?? {}, async (signal) => {
      if (!(await scale(hostClient, place, signal))) throw noVirtualCluster(place);
      await copies.until(place, (facts) => isAsleep(facts) === expectAsleep, signal);
    });
  }
}

function hostWork(options: KubernetesHostOptions): HostWork {
  const { connection, clock, log } = options;
  const hostClient = httpClient({ server: '', fetch: connection.fetch });
  const metadataClient = httpClient({ server: '', fetch: metadataOnly(connection.fetch) });
  const copies = new HostCopies({
    hostClient,
    metadataClient,
    async ask(signal) {
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
    copies,
    clock,
    opened: clock.elapsed(),
  };
}

function isApiService(service: KubeObject): boolean {
  return service.metadata.labels?.app === controlPlaneApp && serviceFact(service) !== undefined;
}
