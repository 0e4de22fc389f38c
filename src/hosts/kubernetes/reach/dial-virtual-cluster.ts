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

/** Describes how the API of a virtual cluster can be reached, according to the objects on its host. */
export interface VirtualClusterEndpoint {
  /** The uid of the service. If it changes, the virtual cluster has been replaced by another one. */
  readonly uid: string;
  readonly service: {
    readonly type: string;
    readonly clusterIP: string;
    readonly ingress: readonly { readonly ip?: string; readonly hostname?: string }[];
    readonly port: number;
  };
  /** The names of the pods of the virtual cluster that are ready and not being deleted. */
  readonly pods: readonly string[];
  readonly podPort: number;
  /** The name of the secret with the credentials of the virtual cluster. */
  readonly secret: string;
}

export interface VirtualClusterDialerOptions {
  readonly location: HostLocation;
  readonly connection: Pick<HostConnection, 'forward' | 'addresses'>;
  endpoint(): VirtualClusterEndpoint | undefined;
  /** True to try the addresses of the service. False to use only port forwarding. */
  readonly direct: boolean;
  secure(carrier: Duplex): TLSSocket;
  readonly clock: Clock;
  /** The timeout for opening a connection including TLS, in milliseconds. */
  readonly timeout: number;
}

export interface VirtualClusterDialer {
  readonly dial: Dial;
  /** Closes the connections to all pods except the given ones. */
  closeExcept(pods: readonly string[]): void;
}

/**
 * The head start of the addresses of the service. A reachable address accepts a connection within this time. If none
 * has done so, port forwarding is tried in parallel.
 */
const directHeadStartMs = 300;
/** The time for which only port forwarding is used after it was faster than the addresses of the service. */
const directRetryDelayMs = 600_000;
/** Maximum number of pods to try. The next pod is tried only if the host reports that the previous one is gone. */
const maxPodAttempts = 3;

/**
 * Opens connections to the API of a virtual cluster. Connects to the address of the virtual cluster's service if that
 * address responds, and otherwise to one of its pods by port forwarding through the API of the host. In both cases the
 * connection is encrypted up to the virtual cluster.
 */
export function dialVirtualCluster(options: VirtualClusterDialerOptions): VirtualClusterDialer {
  const { location, connection, clock, timeout, secure } = options;
  const where = `the virtual cluster ${location.namespace}/${location.name}`;
  const podOf = new Map<Socket, string>();
  let skipDirectUntil = Number.NEGATIVE_INFINITY;
  let dialCount = 0;

  const dialDirect = (address: { host: string; port: number }, signal: AbortSignal) =>
    openSocket({ clock, timeout, where, signal }, async (track) =>
      waitForSocket(secure(await connectTcp(address, track, connection.addresses)), 'secureConnect', track),
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

  /** Tries the addresses and port forwarding. Returns the first successful connection, and closes all others. */
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
      // Report only the error of port forwarding, because the addresses of the service are often unreachable.
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

/**
 * Converts an error of the host to a NoResponseError. Otherwise the client would think that the virtual cluster itself
 * returned the status.
 */
function toNoResponse(error: unknown, where: string): unknown {
  if (!(error instanceof StatusError) || error instanceof NoResponseError) return error;
  return new NoResponseError('Unreachable', `the host cannot connect to ${where}: ${error.message}`);
}
