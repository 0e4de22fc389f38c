import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { wait } from '../../../lib/wait.ts';
import type { HostLocation } from '../../host.ts';
import type { HostConnection } from './host-connection.ts';
import { NoResponseError } from './no-response.ts';
import { connectTcp, type Dial, openSocket, waitForSocket } from './open-socket.ts';

/** The addresses of a virtual cluster's API, from the objects on its host. */
export interface VirtualClusterEndpoint {
  /** The uid of the service; a different uid means a different virtual cluster. */
  readonly uid: string;
  readonly service: {
    readonly type: string;
    readonly clusterIP: string;
    readonly ingress: readonly { readonly ip?: string; readonly hostname?: string }[];
    readonly port: number;
  };
  /** The names of the pods in its namespace that are ready and not being deleted. */
  readonly pods: readonly string[];
  readonly podPort: number;
  /** The name of the secret that holds its credentials. */
  readonly secret: string;
}

export interface VirtualClusterDialerOptions {
  readonly location: HostLocation;
  readonly connection: Pick<HostConnection, 'forward'>;
  endpoint(): VirtualClusterEndpoint | undefined;
  /** True to try the addresses of its service. */
  readonly direct: boolean;
  secure(carrier: Duplex): TLSSocket;
  readonly clock: Clock;
  /** The timeout for a connection, in milliseconds. */
  readonly timeout: number;
}

export interface VirtualClusterDialer {
  readonly dial: Dial;
  /** Closes the connections to all other pods. */
  closeExcept(pods: readonly string[]): void;
}

/** A reachable address accepts within this time; after it, port forwarding is tried in parallel. */
const directHeadStartMs = 300;
/** The time for which an address that did not respond is not tried again. */
const directRetryDelayMs = 600_000;
/** A pod that just disappeared is worth another try; a host that forwards to none of them is not. */
const maxPodAttempts = 3;

/**
 * Connections to the API of a virtual cluster: directly to the address of its service if that responds, otherwise by
 * port forwarding through the host's API to one of its pods. In both cases TLS ends at the virtual cluster itself.
 */
export function dialVirtualCluster(options: VirtualClusterDialerOptions): VirtualClusterDialer {
  const { location, connection, clock, timeout, secure } = options;
  const where = `the virtual cluster ${location.namespace}/${location.name}`;
  const podOf = new Map<Socket, string>();
  let skipDirectUntil = Number.NEGATIVE_INFINITY;
  let dialCount = 0;

  const dialDirect = (address: { host: string; port: number }, signal: AbortSignal) =>
    openSocket({ clock, timeout, where, signal }, async (track) =>
      waitForSocket(secure(await connectTcp(address, track)), 'secureConnect', track),
    );

  async function dialForwarded({ pods, podPort }: VirtualClusterEndpoint, signal: AbortSignal): Promise<Socket> {
    let failure: unknown = new NoResponseError('Unreachable', `${where} has no ready pod`);
    for (const name of rotated(pods, dialCount++).slice(0, maxPodAttempts)) {
      try {
        const socket = await openSocket({ clock, timeout, where, signal }, async (track, stopped) => {
          const carrier = await connection.forward({ namespace: location.namespace, name, port: podPort }, stopped);
          track(carrier);
          return await waitForSocket(secure(carrier), 'secureConnect', track);
        });
        podOf.set(socket, name);
        socket.once('close', () => podOf.delete(socket));
        return socket;
      } catch (error) {
        signal.throwIfAborted();
        failure = toNoResponse(error, where);
        if (!(error instanceof StatusError) || error.code !== 404) break;
      }
    }
    throw failure;
  }

  /** Returns the first connection that succeeds and closes the others. */
  async function race(endpoint: VirtualClusterEndpoint, addresses: readonly Address[], signal: AbortSignal) {
    const over = new AbortController();
    const onAbort = () => over.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const attempts = addresses.map((address) => dialDirect(address, over.signal));
    const forwarding = (async () => {
      const started = new AbortController();
      const begin = () => started.abort();
      over.signal.addEventListener('abort', begin, { once: true });
      void Promise.allSettled(attempts).then(begin);
      await wait(clock, directHeadStartMs, started.signal);
      over.signal.throwIfAborted();
      return await dialForwarded(endpoint, over.signal);
    })();
    let hasWinner = false;
    const first = async (attempt: Promise<Socket>) => {
      const socket = await attempt;
      if (hasWinner) socket.destroy();
      else if (attempt === forwarding) skipDirectUntil = clock.elapsed() + directRetryDelayMs;
      hasWinner = true;
      over.abort();
      return socket;
    };
    try {
      return await Promise.any([...attempts, forwarding].map(first));
    } catch {
      // Direct addresses are only an attempt, so their errors are not reported.
      return await forwarding;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  return {
    async dial(signal) {
      const endpoint = options.endpoint();
      if (endpoint === undefined) throw new NoResponseError('Unreachable', `${where} does not exist`);
      const addresses = options.direct && clock.elapsed() >= skipDirectUntil ? addressesOf(endpoint) : [];
      return addresses.length === 0 ? await dialForwarded(endpoint, signal) : await race(endpoint, addresses, signal);
    },
    closeExcept(pods) {
      for (const [socket, pod] of podOf) if (!pods.includes(pod)) socket.destroy();
    },
  };
}

type Address = { host: string; port: number };

function addressesOf({ service: { clusterIP, ingress, port } }: VirtualClusterEndpoint): readonly Address[] {
  const outside = ingress.map(({ ip, hostname }) => ip ?? hostname ?? '');
  const hosts = [...outside, clusterIP].filter((host) => host !== '' && host !== 'None');
  return hosts.map((host) => ({ host, port }));
}

function rotated<T>(all: readonly T[], attempts: number): readonly T[] {
  const first = all.length === 0 ? 0 : attempts % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

/** Translates an error of the host: the client must not take its status for one of the virtual cluster. */
function toNoResponse(error: unknown, where: string): unknown {
  if (!(error instanceof StatusError) || error instanceof NoResponseError) return error;
  return new NoResponseError('Unreachable', `the host cannot connect to ${where}: ${error.message}`);
}
