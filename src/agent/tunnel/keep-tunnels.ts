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
  /** Called each time a tunnel was opened. */
  onOpened(): void;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a number from 0 to 1. Optional; defaults to `Math.random`. */
  readonly random?: () => number;
}

/** The number of tunnels. With two, the server can reach the agent while one of them is being opened again. */
const tunnelCount = 2;

/**
 * The maximum delay after a tunnel that was in use has ended. A server that stops ends the tunnels of all agents at the
 * same time. A random delay distributes their next connections over this time.
 */
const maxFirstDelayMs = 1_000;

const retry: BackoffOptions = { initialMilliseconds: 500, maxMilliseconds: 15_000 };

/** A tunnel that closes sooner than this is treated as a failure. */
const minimumLifeMs = 5_000;

/**
 * The number of upgrades in a row that must fail while the server is reachable before a WebSocket is used. One upgrade can
 * fail because the server restarts. An upgrade without a round trip has failed too: some proxies pass the response to it,
 * but swallow or change the bytes that follow.
 */
const blockedAfter = 2;

/**
 * The maximum time for which a tunnel waits for its connections after the signal was aborted. It is longer than the time in which
 * the agent ends its requests on shutdown.
 */
const maxCloseMs = 9_000;

/**
 * Keeps tunnels to the server open until the signal fires. Then the server opens no new connections in them, and each is
 * closed after its last connection. Resolves when all are closed. Never rejects.
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
