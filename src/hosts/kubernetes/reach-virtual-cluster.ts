import { setMaxListeners } from 'node:events';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import type { ApiRequest, ClusterApi, HostPlace } from '../host.ts';
import type { VirtualClusterEndpoint } from './dial-virtual-cluster.ts';
import type { HostConnection } from './host-connection.ts';
import { NoAnswerError, type NoAnswerReason } from './no-answer.ts';
import { readVirtualClusterSecret, sameCredentials } from './virtual-cluster-secret.ts';
import { type VirtualClusterWay, virtualClusterWay } from './virtual-cluster-way.ts';

export interface VirtualClusterWaysOptions {
  readonly connection: Pick<HostConnection, 'fetch' | 'forward'>;
  /** The current endpoint; `undefined` if there is none. Called for each connection, so it must come from a cache. */
  endpointOf(place: HostPlace): VirtualClusterEndpoint | undefined;
  /** True to try the addresses of services; otherwise everything goes through the host's API. */
  readonly direct: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds, as for the connection to the host. */
  readonly connectTimeout?: number;
  readonly answerTimeout?: number;
}

/** The connections to the virtual clusters of one host. Each is opened on demand and closed when idle. */
export interface VirtualClusterWays {
  /** Rejects like HostConnection. */
  to(place: HostPlace): Required<ClusterApi>;
  /**
   * Must be called when its pods, service or secret change. Closes outdated connections, or renews them on next use.
   */
  changed(place: HostPlace): void;
  close(): Promise<void>;
}

/** A connection in use. */
interface ActiveConnection extends VirtualClusterWay {
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
const renewableReasons: readonly NoAnswerReason[] = [
  'CredentialsRefused',
  'ClientCertificateRefused',
  'CertificateNotTrusted',
  'CertificateExpired',
  'TlsFailed',
];

export function openWays(options: VirtualClusterWaysOptions): VirtualClusterWays {
  const { connection, clock, log, endpointOf, direct, connectTimeout, answerTimeout } = { ...defaults, ...options };
  const connections = new Map<string, ActiveConnection>();
  const pending = new Map<string, Promise<ActiveConnection>>();
  const closing = new AbortController();
  // Each read of a secret adds a listener.
  setMaxListeners(0, closing.signal);
  let cancelSweep: (() => void) | undefined;

  async function close(key: string, active: ActiveConnection): Promise<void> {
    if (connections.get(key) === active) connections.delete(key);
    await active.close();
  }

  function closeInBackground(key: string, active: ActiveConnection): void {
    close(key, active).catch((error: unknown) =>
      log.error({ error }, 'could not close the connection to a virtual cluster'),
    );
  }

  /** Reads the secret; keeps the existing connection if the credentials are the same. */
  async function open(key: string, place: HostPlace): Promise<ActiveConnection> {
    const endpoint = endpointOf(place);
    if (endpoint === undefined) throw new NoAnswerError('Unreachable', `the virtual cluster ${key} does not exist`);
    const secret = { namespace: place.namespace, name: endpoint.secret };
    const credentials = await readVirtualClusterSecret(connection, secret, closing.signal);
    closing.signal.throwIfAborted();
    const existing = connections.get(key);
    if (existing !== undefined && existing.uid === endpoint.uid && sameCredentials(existing.credentials, credentials)) {
      existing.stale = false;
      return existing;
    }
    const { uid } = endpoint;
    const shared = { connection, endpointOf, direct, clock, connectTimeout, answerTimeout };
    const opened = virtualClusterWay({ place, uid, credentials, ...shared });
    const active = { ...opened, stale: false, waiting: 0, lastUse: clock.elapsed() };
    if (existing !== undefined) closeInBackground(key, existing);
    connections.set(key, active);
    sweepLater();
    return active;
  }

  async function connectionTo(place: HostPlace, signal: AbortSignal): Promise<ActiveConnection> {
    closing.signal.throwIfAborted();
    const key = keyOf(place);
    const existing = connections.get(key);
    if (existing !== undefined && !existing.stale) return existing;
    const opening = pending.get(key) ?? open(key, place).finally(() => pending.delete(key));
    pending.set(key, opening);
    return await unlessAborted(opening, signal);
  }

  async function sendThrough<A>(
    place: HostPlace,
    request: ApiRequest,
    use: (api: Required<ClusterApi>) => Promise<A>,
  ): Promise<A> {
    const active = await connectionTo(place, request.signal);
    try {
      return await withUse(active, use);
    } catch (error) {
      if (!(error instanceof NoAnswerError) || !renewableReasons.includes(error.why)) throw error;
      active.stale = true;
      const renewed = await connectionTo(place, request.signal);
      // A body that was partly sent cannot be sent again.
      if (renewed === active || request.body !== undefined) throw error;
      return await withUse(renewed, use);
    }
  }

  async function withUse<A>(active: ActiveConnection, use: (api: Required<ClusterApi>) => Promise<A>): Promise<A> {
    active.waiting++;
    try {
      return await use(active.api);
    } finally {
      active.waiting--;
      active.lastUse = clock.elapsed();
    }
  }

  function sweepLater(): void {
    if (connections.size === 0 || closing.signal.aborted) return;
    cancelSweep ??= clock.after(idleTimeoutMs / 5, () => {
      cancelSweep = undefined;
      for (const [key, active] of connections) {
        const isInUse = active.waiting > 0 || active.connections() > 0;
        if (!isInUse && clock.elapsed() - active.lastUse >= idleTimeoutMs) closeInBackground(key, active);
      }
      sweepLater();
    });
  }

  return {
    to: (place) => ({
      send: (request) => sendThrough(place, request, (api) => api.send(request)),
      upgrade: (request) => sendThrough(place, request, (api) => api.upgrade(request)),
    }),
    changed(place) {
      const key = keyOf(place);
      const active = connections.get(key);
      if (active === undefined) return;
      const endpoint = endpointOf(place);
      if (endpoint === undefined || endpoint.uid !== active.uid) {
        closeInBackground(key, active);
        return;
      }
      active.stale = true;
      active.keepOnly(endpoint.pods);
    },
    async close() {
      closing.abort(new NoAnswerError('Unreachable', 'the host is no longer connected'));
      cancelSweep?.();
      await Promise.all([...connections].map(([key, active]) => close(key, active)));
    },
  };
}

function keyOf({ namespace, name }: HostPlace): string {
  return `${namespace}/${name}`;
}
