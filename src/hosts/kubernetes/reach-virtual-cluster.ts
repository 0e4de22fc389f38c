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
  /** As it is now; undefined: there is none. Asked for each connection, so it has to be known already. */
  endpointOf(place: HostPlace): VirtualClusterEndpoint | undefined;
  /** Whether the addresses of services are tried; without it, everything goes through the host's API. */
  readonly direct: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds, as for the connection to the host. */
  readonly connectTimeout?: number;
  readonly answerTimeout?: number;
}

/** The ways into the virtual clusters of one host. Each is made when it is used, and forgotten when nobody does. */
export interface VirtualClusterWays {
  /** Rejects as HostConnection does. */
  to(place: HostPlace): Required<ClusterApi>;
  /** Pods, service or secret of it are others than they were: what no longer holds is ended, or made anew when it is used. */
  changed(place: HostPlace): void;
  close(): Promise<void>;
}

/** One that is used. */
interface Way extends VirtualClusterWay {
  /** The secret may be another one by now. */
  stale: boolean;
  /** Requests that wait for their answer to begin. */
  asked: number;
  /** By the clock that nobody sets. */
  lastUse: number;
}

const defaults = { connectTimeout: 10_000, answerTimeout: 70_000 };
/** Certificates in memory that nobody has used for this long are forgotten, with the connections. */
const idleAfter = 300_000;
/** What may be over when credentials were replaced. */
const renewing: readonly NoAnswerReason[] = [
  'CredentialsRefused',
  'ClientCertificateRefused',
  'CertificateNotTrusted',
  'CertificateExpired',
  'TlsFailed',
];

export function openWays(options: VirtualClusterWaysOptions): VirtualClusterWays {
  const { connection, clock, log, endpointOf, direct, connectTimeout, answerTimeout } = { ...defaults, ...options };
  const ways = new Map<string, Way>();
  const beginnings = new Map<string, Promise<Way>>();
  const closing = new AbortController();
  // Each secret that is being read listens.
  setMaxListeners(0, closing.signal);
  let cancelSweep: (() => void) | undefined;

  async function drop(key: string, way: Way): Promise<void> {
    if (ways.get(key) === way) ways.delete(key);
    await way.close();
  }

  function dropSoon(key: string, way: Way): void {
    drop(key, way).catch((error: unknown) => log.error({ error }, 'a way into a virtual cluster could not be closed'));
  }

  /** Reads the secret; what is there with the same credentials stays. */
  async function begin(key: string, place: HostPlace): Promise<Way> {
    const endpoint = endpointOf(place);
    if (endpoint === undefined) throw new NoAnswerError('Unreachable', `the virtual cluster ${key} is not there`);
    const secret = { namespace: place.namespace, name: endpoint.secret };
    const credentials = await readVirtualClusterSecret(connection, secret, closing.signal);
    closing.signal.throwIfAborted();
    const present = ways.get(key);
    if (present !== undefined && present.uid === endpoint.uid && sameCredentials(present.credentials, credentials)) {
      present.stale = false;
      return present;
    }
    const { uid } = endpoint;
    const shared = { connection, endpointOf, direct, clock, connectTimeout, answerTimeout };
    const made = virtualClusterWay({ place, uid, credentials, ...shared });
    const way = { ...made, stale: false, asked: 0, lastUse: clock.elapsed() };
    if (present !== undefined) dropSoon(key, present);
    ways.set(key, way);
    sweepLater();
    return way;
  }

  async function wayTo(place: HostPlace, signal: AbortSignal): Promise<Way> {
    closing.signal.throwIfAborted();
    const key = keyOf(place);
    const present = ways.get(key);
    if (present !== undefined && !present.stale) return present;
    const begun = beginnings.get(key) ?? begin(key, place).finally(() => beginnings.delete(key));
    beginnings.set(key, begun);
    return await unlessAborted(begun, signal);
  }

  async function through<A>(
    place: HostPlace,
    request: ApiRequest,
    use: (api: Required<ClusterApi>) => Promise<A>,
  ): Promise<A> {
    const way = await wayTo(place, request.signal);
    try {
      return await used(way, use);
    } catch (error) {
      if (!(error instanceof NoAnswerError) || !renewing.includes(error.why)) throw error;
      way.stale = true;
      const renewed = await wayTo(place, request.signal);
      // A body that is on its way cannot be sent a second time.
      if (renewed === way || request.body !== undefined) throw error;
      return await used(renewed, use);
    }
  }

  async function used<A>(way: Way, use: (api: Required<ClusterApi>) => Promise<A>): Promise<A> {
    way.asked++;
    try {
      return await use(way.api);
    } finally {
      way.asked--;
      way.lastUse = clock.elapsed();
    }
  }

  function sweepLater(): void {
    if (ways.size === 0 || closing.signal.aborted) return;
    cancelSweep ??= clock.after(idleAfter / 5, () => {
      cancelSweep = undefined;
      for (const [key, way] of ways) {
        const isInUse = way.asked > 0 || way.connections() > 0;
        if (!isInUse && clock.elapsed() - way.lastUse >= idleAfter) dropSoon(key, way);
      }
      sweepLater();
    });
  }

  return {
    to: (place) => ({
      send: (request) => through(place, request, (api) => api.send(request)),
      upgrade: (request) => through(place, request, (api) => api.upgrade(request)),
    }),
    changed(place) {
      const key = keyOf(place);
      const way = ways.get(key);
      if (way === undefined) return;
      const endpoint = endpointOf(place);
      if (endpoint === undefined || endpoint.uid !== way.uid) {
        dropSoon(key, way);
        return;
      }
      way.stale = true;
      way.keepOnly(endpoint.pods);
    },
    async close() {
      closing.abort(new NoAnswerError('Unreachable', 'the host is not connected any more'));
      cancelSweep?.();
      await Promise.all([...ways].map(([key, way]) => drop(key, way)));
    },
  };
}

function keyOf({ namespace, name }: HostPlace): string {
  return `${namespace}/${name}`;
}
