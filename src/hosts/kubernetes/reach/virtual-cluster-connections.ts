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
  readonly connection: Pick<HostConnection, 'fetch' | 'forward' | 'addresses'>;
  /**
   * Returns how a virtual cluster can be reached now; `undefined` if it does not exist. Called for each connection, so
   * it must use a cache.
   */
  endpointOf(location: HostLocation): VirtualClusterEndpoint | undefined;
  /** True to try the addresses of services. False to send everything through the API of the host. */
  readonly direct: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** The timeouts in milliseconds, with the same meaning as in HostConnectionOptions. */
  readonly connectTimeout?: number;
  readonly answerTimeout?: number;
}

/** The connections to the virtual clusters on one host. They are opened on demand and closed after they were idle. */
export interface VirtualClusterConnections {
  /**
   * Returns the API of the virtual cluster at this location. Its functions reject with the errors of HostConnection.
   */
  apiOf(location: HostLocation): Required<ClusterApi>;
  /**
   * Must be called after the pods, the service or the secret of a virtual cluster have changed. Closes its outdated
   * connections, and makes the next request read the credentials again.
   */
  handleChange(location: HostLocation): void;
  /** The number of virtual clusters to which there are connections that may be in use. */
  readonly size: number;
  close(): Promise<void>;
}

/** An open connection to a virtual cluster, and its recent use. */
interface ActiveConnection extends VirtualClusterConnection {
  /** True if the credentials in the secret may have changed after they were read. */
  stale: boolean;
  /** The number of requests that wait for the status and headers of their response. */
  waiting: number;
  /** The time of the last use, by the monotonic clock in milliseconds. */
  lastUse: number;
}

const defaults = { connectTimeout: 10_000, answerTimeout: 70_000 };
/** Connections that were idle for this time are closed, and their credentials are removed from memory. */
const idleTimeoutMs = 300_000;
/** Errors that may disappear after the credentials have been read from the secret again. */
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
    // Each read of a secret adds a listener to this signal. 0 means that Node.js does not warn about many listeners.
    setMaxListeners(0, this.#closing.signal);
  }

  get size(): number {
    return this.#connections.size + this.#pending.size;
  }

  apiOf(location: HostLocation): Required<ClusterApi> {
    return {
      send: (request) => this.#sendThrough(location, request, (api) => api.send(request)),
      upgrade: (request) => this.#sendThrough(location, request, (api) => api.upgrade(request)),
    };
  }

  handleChange(location: HostLocation): void {
    const key = keyOf(location);
    const active = this.#connections.get(key);
    if (active === undefined) return;
    const endpoint = this.#options.endpointOf(location);
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

  async #connectionTo(location: HostLocation, signal: AbortSignal): Promise<ActiveConnection> {
    this.#closing.signal.throwIfAborted();
    const key = keyOf(location);
    const existing = this.#connections.get(key);
    if (existing !== undefined && !existing.stale) return existing;
    const opening = this.#pending.get(key) ?? this.#open(key, location).finally(() => this.#pending.delete(key));
    this.#pending.set(key, opening);
    return await unlessAborted(opening, signal);
  }

  /** Reads the credentials from the secret. Returns the existing connection if the credentials are unchanged. */
  async #open(key: string, location: HostLocation): Promise<ActiveConnection> {
    const { connection, clock, direct, connectTimeout, answerTimeout } = this.#options;
    const endpointOf = (at: HostLocation) => this.#options.endpointOf(at);
    const endpoint = endpointOf(location);
    if (endpoint === undefined) throw new NoResponseError('Unreachable', `the virtual cluster ${key} does not exist`);
    const secret = { namespace: location.namespace, name: endpoint.secret };
    const credentials = await readVirtualClusterSecret(connection, secret, this.#closing.signal);
    this.#closing.signal.throwIfAborted();
    const existing = this.#connections.get(key);
    if (existing !== undefined && existing.uid === endpoint.uid && sameCredentials(existing.credentials, credentials)) {
      existing.stale = false;
      return existing;
    }
    const { uid } = endpoint;
    const shared = { connection, endpointOf, direct, clock, connectTimeout, answerTimeout };
    const opened = openVirtualClusterConnection({ location, uid, credentials, ...shared });
    const active = { ...opened, stale: false, waiting: 0, lastUse: clock.elapsed() };
    if (existing !== undefined) this.#closeInBackground(key, existing);
    this.#connections.set(key, active);
    this.#sweepLater();
    return active;
  }

  async #sendThrough<A>(
    location: HostLocation,
    request: ApiRequest,
    use: (api: Required<ClusterApi>) => Promise<A>,
  ): Promise<A> {
    const active = await this.#connectionTo(location, request.signal);
    try {
      return await this.#withUse(active, use);
    } catch (error) {
      if (!(error instanceof NoResponseError) || !renewableReasons.includes(error.why)) throw error;
      active.stale = true;
      const renewed = await this.#connectionTo(location, request.signal);
      // Do not repeat a request with a body, because a part of the body may already have been sent.
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
