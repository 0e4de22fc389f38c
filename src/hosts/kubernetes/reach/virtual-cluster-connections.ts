import { setMaxListeners } from 'node:events';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { unlessAborted } from '../../../lib/unless-aborted.ts';
import type { ApiRequest, ClusterApi, HostLocation } from '../../host.ts';
import type { VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import type { HostConnection } from './host-connection.ts';
import { NoResponseError, type NoResponseReason } from './no-response.ts';
import { openVirtualClusterConnection, type VirtualClusterConnection } from './virtual-cluster-connection.ts';
import { readVirtualClusterSecret, sameCredentials } from './virtual-cluster-secret.ts';

export interface VirtualClusterConnectionsOptions {
  readonly connection: Pick<HostConnection, 'fetch' | 'forward'>;
  /** The current endpoint; `undefined` if there is none. Called for each connection, so it must come from a cache. */
  endpointOf(place: HostLocation): VirtualClusterEndpoint | undefined;
  /** True to try the addresses of services; otherwise everything goes through the host's API. */
  readonly direct: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds, as for the connection to the host. */
  readonly connectTimeout?: number;
  readonly answerTimeout?: number;
}

/** The connections to the virtual clusters of one host. Each is opened on demand and closed when idle. */
export interface VirtualClusterConnections {
  /** Rejects like HostConnection. */
  apiOf(place: HostLocation): Required<ClusterApi>;
  /**
   * Must be called when its pods, service or secret change. Closes outdated connections, or renews them on next use.
   */
  handleChange(place: HostLocation): void;
  close(): Promise<void>;
}

/** A connection in use. */
interface ActiveConnection extends VirtualClusterConnection {
  /** The secret may have changed since it was read. */
  stale: boolean;
  /** The number of requests that wait for a response head. */
  waiting: number;
  /** By the monotonic clock. */
  lastUse: number;
}

const defaults = { connectTimeout: 10_000, answerTimeout: 70_000 };
/** Credentials and connections that are idle for this long are dropped. */
const idleTimeoutMs = 300_000;
/** Failures that replaced credentials may resolve. */
const renewableReasons: readonly NoResponseReason[] = [
  'CredentialsRefused',
  'ClientCertificateRefused',
  'CertificateNotTrusted',
  'CertificateExpired',
  'TlsFailed',
];

export function openVirtualClusterConnections(options: VirtualClusterConnectionsOptions): VirtualClusterConnections {
  return new OnDemandConnections(options);
}

class OnDemandConnections implements VirtualClusterConnections {
  readonly #options: VirtualClusterConnectionsOptions & typeof defaults;
  readonly #connections = new Map<string, ActiveConnection>();
  readonly #pending = new Map<string, Promise<ActiveConnection>>();
  readonly #closing = new AbortController();
  #cancelSweep: (() => void) | undefined;

  constructor(options: VirtualClusterConnectionsOptions) {
    this.#options = { ...defaults, ...options };
    // Each read of a secret adds a listener.
    setMaxListeners(0, this.#closing.signal);
  }

  apiOf(place: HostLocation): Required<ClusterApi> {
    return {
      send: (request) => this.#sendThrough(place, request, (api) => api.send(request)),
      upgrade: (request) => this.#sendThrough(place, request, (api) => api.upgrade(request)),
    };
  }

  handleChange(place: HostLocation): void {
    const key = keyOf(place);
    const active = this.#connections.get(key);
    if (active === undefined) return;
    const endpoint = this.#options.endpointOf(place);
    if (endpoint === undefined || endpoint.uid !== active.uid) {
      this.#closeInBackground(key, active);
      return;
    }
    active.stale = true;
    active.closeExcept(endpoint.pods);
  }

  async close(): Promise<void> {
    this.#closing.abort(new NoResponseError('Unreachable', 'the host is no longer connected'));
    this.#cancelSweep?.();
    await Promise.all([...this.#connections].map(([key, active]) => this.#close(key, active)));
  }

  async #close(key: string, active: ActiveConnection): Promise<void> {
    if (this.#connections.get(key) === active) this.#connections.delete(key);
    await active.close();
  }

  #closeInBackground(key: string, active: ActiveConnection): void {
    this.#close(key, active).catch((error: unknown) =>
      this.#options.log.error({ error }, 'could not close the connection to a virtual cluster'),
    );
  }

  async #connectionTo(place: HostLocation, signal: AbortSignal): Promise<ActiveConnection> {
    this.#closing.signal.throwIfAborted();
    const key = keyOf(place);
    const existing = this.#connections.get(key);
    if (existing !== undefined && !existing.stale) return existing;
    const opening = this.#pending.get(key) ?? this.#open(key, place).finally(() => this.#pending.delete(key));
    this.#pending.set(key, opening);
    return await unlessAborted(opening, signal);
  }

  /** Reads the secret; keeps the existing connection if the credentials are the same. */
  async #open(key: string, place: HostLocation): Promise<ActiveConnection> {
    const { connection, clock, direct, connectTimeout, answerTimeout } = this.#options;
    const endpointOf = (at: HostLocation) => this.#options.endpointOf(at);
    const endpoint = endpointOf(place);
    if (endpoint === undefined) throw new NoResponseError('Unreachable', `the virtual cluster ${key} does not exist`);
    const secret = { namespace: place.namespace, name: endpoint.secret };
    const credentials = await readVirtualClusterSecret(connection, secret, this.#closing.signal);
    this.#closing.signal.throwIfAborted();
    const existing = this.#connections.get(key);
    if (existing !== undefined && existing.uid === endpoint.uid && sameCredentials(existing.credentials, credentials)) {
      existing.stale = false;
      return existing;
    }
    const { uid } = endpoint;
    const shared = { connection, endpointOf, direct, clock, connectTimeout, answerTimeout };
    const opened = openVirtualClusterConnection({ location: place, uid, credentials, ...shared });
    const active = { ...opened, stale: false, waiting: 0, lastUse: clock.elapsed() };
    if (existing !== undefined) this.#closeInBackground(key, existing);
    this.#connections.set(key, active);
    this.#sweepLater();
    return active;
  }

  async #sendThrough<A>(
    place: HostLocation,
    request: ApiRequest,
    use: (api: Required<ClusterApi>) => Promise<A>,
  ): Promise<A> {
    const active = await this.#connectionTo(place, request.signal);
    try {
      return await this.#withUse(active, use);
    } catch (error) {
      if (!(error instanceof NoResponseError) || !renewableReasons.includes(error.why)) throw error;
      active.stale = true;
      const renewed = await this.#connectionTo(place, request.signal);
      // A body that was partly sent cannot be sent again.
      if (renewed === active || request.body !== undefined) throw error;
      return await this.#withUse(renewed, use);
    }
  }

  async #withUse<A>(active: ActiveConnection, use: (api: Required<ClusterApi>) => Promise<A>): Promise<A> {
    active.waiting++;
    try {
      return await use(active.api);
    } finally {
      active.waiting--;
      active.lastUse = this.#options.clock.elapsed();
    }
  }

  #sweepLater(): void {
    const { clock } = this.#options;
    if (this.#connections.size === 0 || this.#closing.signal.aborted) return;
    this.#cancelSweep ??= clock.after(idleTimeoutMs / 5, () => {
      this.#cancelSweep = undefined;
      for (const [key, active] of this.#connections) {
        const isInUse = active.waiting > 0 || active.connections() > 0;
        if (!isInUse && clock.elapsed() - active.lastUse >= idleTimeoutMs) this.#closeInBackground(key, active);
      }
      this.#sweepLater();
    });
  }
}

function keyOf({ namespace, name }: HostLocation): string {
  return `${namespace}/${name}`;
}
