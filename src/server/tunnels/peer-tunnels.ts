import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { wait } from '../../lib/wait.ts';
import { openTunnel, type Tunnel } from '../../tunnel/open-tunnel.ts';
import { serveTunnel } from '../../tunnel/serve-tunnel.ts';
import type { TunnelSocket } from '../../tunnel/tunnel-socket.ts';
import type { PeerLocation, Peers } from '../peers/open-peers.ts';
import type { ConnectThroughPeers, Tunnels } from './tunnels.ts';

export interface PeerTunnelsOptions {
  readonly peers: Pick<Peers, 'openTunnel'>;
  /** Returns the other replicas that can be reached. */
  listPeers(): Promise<readonly PeerLocation[]>;
  readonly clock: Clock;
}

/** The time for which an unreachable replica is not tried again. Each attempt takes up to five seconds. */
const unreachableMilliseconds = 5_000;

/** The time after which the next replica is tried too if the previous one has not responded. */
const nextPeerMilliseconds = 300;

/**
 * A signal that never fires: several callers wait for the same tunnel, so none of them may abort its opening. The
 * opening has a timeout.
 */
const never = new AbortController().signal;

/**
 * Returns a function that opens connections to agents whose tunnels end at other replicas. All connections through the
 * same replica share one tunnel to this replica. A replica that does not respond delays a connection only for a moment,
 * because the next replica is tried at the same time.
 */
export function connectThroughPeers({ peers, listPeers, clock }: PeerTunnelsOptions): ConnectThroughPeers {
  const tunnels = new Map<string, Promise<Tunnel>>();
  /** The replicas that could not be reached, with the times until which they are not tried again. */
  const unreachable = new Map<string, number>();

  function isReachable(peer: PeerLocation): boolean {
    const now = clock.elapsed();
    for (const [key, until] of unreachable) if (until <= now) unreachable.delete(key);
    return !unreachable.has(keyOf(peer));
  }

  function tunnelTo(peer: PeerLocation): Promise<Tunnel> {
    const key = keyOf(peer);
    const known = tunnels.get(key);
    if (known !== undefined) return known;
    const opening = peers.openTunnel(peer, never).then((carrier) => openTunnel(carrier, clock));
    const forget = () => {
      if (tunnels.get(key) === opening) tunnels.delete(key);
    };
    tunnels.set(key, opening);
    opening.then(
      (tunnel) => void tunnel.closed.then(forget),
      () => {
        forget();
        unreachable.set(key, clock.elapsed() + unreachableMilliseconds);
      },
    );
    return opening;
  }

  return async (cluster, signal) => {
    const peers = (await listPeers()).filter(isReachable);
    return await connectToFirst(
      peers.map((peer) => async (ending: AbortSignal) => {
        const tunnel = await unlessAborted(tunnelTo(peer), ending);
        return await tunnel.connect(cluster, ending);
      }),
      clock,
      signal,
    );
  };
}

const keyOf = ({ id, address }: PeerLocation) => `${id} ${address}`;

/**
 * Returns the first connection that opens, and cancels the other attempts; `undefined` if all attempts fail. Starts the
 * next attempt when all earlier attempts have failed, or after a short time without a response. Rejects if the signal
 * fires first.
 */
async function connectToFirst(
  dials: readonly ((ending: AbortSignal) => Promise<TunnelSocket>)[],
  clock: Clock,
  signal: AbortSignal,
): Promise<TunnelSocket | undefined> {
  const stopping = new AbortController();
  const ending = AbortSignal.any([signal, stopping.signal]);
  const attempts: Promise<TunnelSocket>[] = [];
  let found: TunnelSocket | undefined;
  try {
    for (const dial of dials) {
      attempts.push(dial(ending));
      const delay = wait(clock, nextPeerMilliseconds, ending).then(() => undefined);
      found = await Promise.race([firstOf(attempts), delay]);
      if (found !== undefined || ending.aborted) break;
    }
    found ??= await firstOf(attempts);
  } finally {
    stopping.abort();
  }
  for (const attempt of attempts) {
    // Destroys the connections of the other attempts: two attempts may have succeeded at the same time.
    attempt.then(
      (socket) => void (socket === found || socket.destroy()),
      () => {},
    );
  }
  if (found === undefined) signal.throwIfAborted();
  return found;
}

/** Returns the first value; `undefined` if all promises have been rejected. */
async function firstOf<T>(promises: readonly Promise<T>[]): Promise<T | undefined> {
  return await Promise.any(promises).catch(() => undefined);
}

/** Serves a tunnel of another replica: connects it to agents whose tunnels end at this server. */
export function servePeerTunnel(
  carrier: Duplex,
  tunnels: Pick<Tunnels, 'connect'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): void {
  serveTunnel(carrier, {
    async accept(cluster, signal) {
      const agent = await tunnels.connect(cluster, signal);
      return agent === undefined ? undefined : (connection) => void join(connection, agent);
    },
    clock,
    log,
  });
}

async function join(connection: TunnelSocket, agent: TunnelSocket): Promise<void> {
  try {
    await Promise.all([pipeline(connection, agent), pipeline(agent, connection)]);
  } catch {
    connection.destroy();
    agent.destroy();
  }
}
