import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { StatusError } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { wait } from '../../lib/wait.ts';
import type { HostPlace } from '../host.ts';
import type { HostConnection } from './host-connection.ts';
import { NoAnswerError } from './no-answer.ts';
import { type Dial, openSocket, standing, tcpTo } from './open-socket.ts';

/** Where a virtual cluster's API can be reached, as its host shows it. */
export interface VirtualClusterEndpoint {
  /** Of the service: with another one it is another virtual cluster. */
  readonly uid: string;
  readonly service: {
    readonly type: string;
    readonly clusterIP: string;
    readonly ingress: readonly { readonly ip?: string; readonly hostname?: string }[];
    readonly port: number;
  };
  /** The names of those that are ready and not being deleted, in the namespace of the place. */
  readonly pods: readonly string[];
  readonly podPort: number;
  /** The name of the secret in which it leaves its credentials. */
  readonly secret: string;
}

export interface VirtualClusterDialOptions {
  readonly place: HostPlace;
  readonly connection: Pick<HostConnection, 'forward'>;
  endpoint(): VirtualClusterEndpoint | undefined;
  /** Whether the addresses of its service are tried. */
  readonly direct: boolean;
  secure(carrier: Duplex): TLSSocket;
  readonly clock: Clock;
  /** Milliseconds until a connection stands. */
  readonly timeout: number;
}

export interface VirtualClusterDial {
  readonly dial: Dial;
  /** Ends the connections to pods that are not among these. */
  keepOnly(pods: readonly string[]): void;
}

/** An address that leads there answers within this; the way through the host's API is tried beside it then. */
const headStart = 300;
/** For how long an address that did not answer is not tried again. */
const longWayAround = 600_000;
/** A pod that went in the meantime is no reason to give up; a host that forwards to none of them is. */
const mostPods = 3;

/**
 * Connections to the API of a virtual cluster: straight to the address of its service where one answers, else through the
 * host's API to one of its pods. TLS goes to the virtual cluster itself in both cases.
 */
export function dialVirtualCluster(options: VirtualClusterDialOptions): VirtualClusterDial {
  const { place, connection, clock, timeout, secure } = options;
  const where = `the virtual cluster ${place.namespace}/${place.name}`;
  const podOf = new Map<Socket, string>();
  let aroundUntil = Number.NEGATIVE_INFINITY;
  let turn = 0;

  const straight = (address: { host: string; port: number }, signal: AbortSignal) =>
    openSocket({ clock, timeout, where, signal }, async (begun) =>
      standing(secure(await tcpTo(address, begun)), 'secureConnect', begun),
    );

  async function forwarded({ pods, podPort }: VirtualClusterEndpoint, signal: AbortSignal): Promise<Socket> {
    let fault: unknown = new NoAnswerError('Unreachable', `${where} has no pod that is ready`);
    for (const name of inTurn(pods, turn++).slice(0, mostPods)) {
      try {
        const socket = await openSocket({ clock, timeout, where, signal }, async (begun, stopped) => {
          const carrier = await connection.forward({ namespace: place.namespace, name, port: podPort }, stopped);
          begun(carrier);
          return await standing(secure(carrier), 'secureConnect', begun);
        });
        podOf.set(socket, name);
        socket.once('close', () => podOf.delete(socket));
        return socket;
      } catch (error) {
        signal.throwIfAborted();
        fault = inOurWords(error, where);
        if (!(error instanceof StatusError) || error.code !== 404) break;
      }
    }
    throw fault;
  }

  /** The first that stands; the others are ended. */
  async function race(endpoint: VirtualClusterEndpoint, addresses: readonly Address[], signal: AbortSignal) {
    const over = new AbortController();
    const onAbort = () => over.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const attempts = addresses.map((address) => straight(address, over.signal));
    const around = (async () => {
      const started = new AbortController();
      const begin = () => started.abort();
      over.signal.addEventListener('abort', begin, { once: true });
      void Promise.allSettled(attempts).then(begin);
      await wait(clock, headStart, started.signal);
      over.signal.throwIfAborted();
      return await forwarded(endpoint, over.signal);
    })();
    let won = false;
    const first = async (way: Promise<Socket>) => {
      const socket = await way;
      if (won) socket.destroy();
      else if (way === around) aroundUntil = clock.elapsed() + longWayAround;
      won = true;
      over.abort();
      return socket;
    };
    try {
      return await Promise.any([...attempts, around].map(first));
    } catch {
      // Addresses that were worth a try are nobody's business.
      return await around;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  return {
    async dial(signal) {
      const endpoint = options.endpoint();
      if (endpoint === undefined) throw new NoAnswerError('Unreachable', `${where} is not there`);
      const addresses = options.direct && clock.elapsed() >= aroundUntil ? addressesOf(endpoint) : [];
      return addresses.length === 0 ? await forwarded(endpoint, signal) : await race(endpoint, addresses, signal);
    },
    keepOnly(pods) {
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

function inTurn<T>(all: readonly T[], turn: number): readonly T[] {
  const first = all.length === 0 ? 0 : turn % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

/** What the host refuses is refused to this server: its status must not be taken for the virtual cluster's. */
function inOurWords(error: unknown, where: string): unknown {
  if (!(error instanceof StatusError) || error instanceof NoAnswerError) return error;
  return new NoAnswerError('Unreachable', `the host does not lead to ${where}: ${error.message}`);
}
