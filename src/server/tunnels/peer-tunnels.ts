import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
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

/** Several callers wait for the same tunnel, so none of them can abort its opening. It has a timeout. */
const never = new AbortController().signal;

/**
 * Returns a function that opens connections to agents whose tunnels end at other replicas. It opens one tunnel to each
 * replica, and in it one connection per connection to an agent.
 */
export function connectThroughPeers({ peers, listPeers, clock }: PeerTunnelsOptions): ConnectThroughPeers {
  const tunnels = new Map<string, Promise<Tunnel>>();

  function tunnelTo(peer: PeerLocation): Promise<Tunnel> {
    const key = `${peer.id} ${peer.address}`;
    const known = tunnels.get(key);
    if (known !== undefined) return known;
    const opening = peers.openTunnel(peer, never).then((carrier) => openTunnel(carrier, clock));
    const forget = () => {
      if (tunnels.get(key) === opening) tunnels.delete(key);
    };
    tunnels.set(key, opening);
    opening.then((tunnel) => void tunnel.closed.then(forget), forget);
    return opening;
  }

  return async (cluster, signal) => {
    for (const peer of await listPeers()) {
      try {
        const tunnel = await unlessAborted(tunnelTo(peer), signal);
        return await tunnel.connect(cluster, signal);
      } catch {
        // This replica has no tunnel to the agent, or cannot be reached.
        if (signal.aborted) throw signal.reason;
      }
    }
    return undefined;
  };
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
