import type { Duplex } from 'node:stream';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import { type ServedTunnel, serveTunnel } from '../../tunnel/serve-tunnel.ts';
import type { TunnelCarrier } from '../control-server.ts';

/** Opens the connections of tunnels. */
export interface TunnelOpener {
  openTunnel(carrier: TunnelCarrier, signal: AbortSignal): Promise<Duplex>;
}

export interface KeepTunnelsOptions {
  readonly server: TunnelOpener;
  /** Returns true while requests to the server that are not upgrades succeed. */
  isServerReachable(): boolean;
  /** Serves a connection that the server has opened in a tunnel. */
  accept(connection: Duplex): void;
  /** Called each time a tunnel has been opened. */
  onOpened(): void;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a number from 0 to 1. Optional; defaults to `Math.random`. */
  readonly random?: () => number;
}

/** The number of tunnels. With two, the server can reach the agent through one while the other is opened again. */
const tunnelCount = 2;

/**
 * The maximum delay before a tunnel that was in use is opened again. A server that stops ends the tunnels of all agents
 * at the same time. Random delays up to this maximum spread the new connections of the agents.
 */
const maxFirstDelayMs = 1_000;

const retry: BackoffOptions = { initialMilliseconds: 500, maxMilliseconds: 15_000 };

/** The minimum lifetime of a tunnel in milliseconds. A tunnel that closes sooner is treated as a failure. */
const minimumLifeMs = 5_000;

/**
 * The number of consecutive failed upgrades, while the server is reachable, after which a WebSocket is used. A single
 * upgrade can fail because the server restarts. An upgrade without a later round trip counts as failed, because some
 * proxies pass the response, but then discard or change the bytes that follow.
 */
const blockedAfter = 2;

/**
 * The maximum time for which a tunnel waits for its connections to end after the signal has fired. It is longer than
 * the time in which the agent ends its requests on shutdown.
 */
const maxCloseMs = 9_000;

/**
 * Keeps tunnels to the server open until the signal fires. After that, the server opens no new connections in the
 * tunnels, and each tunnel is closed when its last connection ends. Resolves when all tunnels are closed. Never
 * rejects.
 */
export async function keepTunnels(options: KeepTunnelsOptions, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: tunnelCount }, () => keepTunnel(options, signal)));
}

async function keepTunnel(options: KeepTunnelsOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, isServerReachable, random = Math.random } = options;
  const closed = new Set<Promise<void>>();
  let failures = 0;
  let blockedUpgrades = 0;
  while (!signal.aborted) {
    // Some proxies pass WebSockets, but no other upgrades. A WebSocket is slower and does not help during an outage, so it is
    // used only if upgrades fail while the server is reachable. The next attempt after a WebSocket is an upgrade again.
    const carrier: TunnelCarrier = blockedUpgrades >= blockedAfter && isServerReachable() ? 'web-socket' : 'upgrade';
    try {
      const tunnel = await open(options, carrier, signal);
      const openedAt = clock.elapsed();
      closed.add(tunnel.closed);
      void tunnel.closed.then(() => closed.delete(tunnel.closed));
      log.debug({ carrier }, 'opened a tunnel to the server');
      await tunnel.ending;
      if (!tunnel.hasRoundTrip) throw new Error('the connection was opened, but the network did not pass the tunnel');
      blockedUpgrades = 0;
      failures = clock.elapsed() - openedAt < minimumLifeMs ? failures + 1 : 0;
    } catch (error) {
      if (signal.aborted) break;
      failures++;
      blockedUpgrades = carrier === 'upgrade' && isServerReachable() ? blockedUpgrades + 1 : 0;
      if (failures === 3) log.warn({ error: String(error) }, 'cannot open a tunnel to the server; retrying');
    }
    const delay = failures === 0 ? random() * maxFirstDelayMs : backoffDelay(failures, { ...retry, random });
    await wait(clock, delay, signal);
  }
  await Promise.all(closed);
}

async function open(
  { server, accept, onOpened, clock, log }: KeepTunnelsOptions,
  carrier: TunnelCarrier,
  signal: AbortSignal,
): Promise<ServedTunnel> {
  const connection = await server.openTunnel(carrier, signal);
  const tunnel = serveTunnel(connection, { accept: () => accept, clock, log });
  const close = () => {
    tunnel.close();
    const cancel = clock.after(maxCloseMs, () => tunnel.destroy());
    void tunnel.closed.then(cancel);
  };
  signal.addEventListener('abort', close, { once: true });
  void tunnel.closed.then(() => signal.removeEventListener('abort', close));
  if (signal.aborted) tunnel.destroy();
  onOpened();
  return tunnel;
}
