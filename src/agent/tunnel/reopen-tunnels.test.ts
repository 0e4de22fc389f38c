import type { Socket } from 'node:net';
import { Transform } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { openTunnel, type Tunnel } from '../../tunnel/open-tunnel.ts';
import { socketPair } from '../../tunnel/socket-pair.fixture.ts';
import type { TunnelCarrier } from '../control-server.ts';
import { keepTunnels } from './keep-tunnels.ts';

/** The number of tunnels of an agent. In these tests, all tunnels open and end at the same time. */
const tunnels = 2;
const pingIntervalMs = 10_000;
const firstAnswerMs = 5_000;

/** A clock that records how long tunnels wait before they are opened. */
class RecordingClock extends ManualClock {
  readonly delays: number[] = [];

  override after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds !== pingIntervalMs && milliseconds !== firstAnswerMs) this.delays.push(milliseconds);
    return super.after(milliseconds, callback);
  }
}

let clock: RecordingClock;
/** The carriers that the agent has tried, in this order. */
let attempts: TunnelCarrier[];
/** The carriers for which the network or the server refuses the connection. */
let refused: TunnelCarrier[];
let isServerReachable: boolean;
/** The network between the agent and the server after an upgrade. */
let network: 'intact' | 'swallows bytes' | 'changes bytes';
/** The server's ends of the connections. `tunnel` is absent while the network swallows bytes. */
let open: { readonly socket: Socket; readonly tunnel?: Tunnel }[];
let stop: () => Promise<void>;

beforeEach(() => {
  clock = new RecordingClock();
  attempts = [];
  refused = [];
  open = [];
  network = 'intact';
  isServerReachable = true;
});
afterEach(() => stop());

/** Returns the server's end of a connection through a proxy that changes the bytes. */
async function behindChangingProxy(connection: Socket): Promise<Socket> {
  const change = () =>
    new Transform({
      transform: (chunk: Buffer, _, done) =>
        done(
          null,
          chunk.map((byte) => byte ^ 0x55),
        ),
    });
  const [proxy, server] = await socketPair();
  connection
    .on('error', () => {})
    .pipe(change())
    .pipe(proxy);
  proxy
    .on('error', () => {})
    .pipe(change())
    .pipe(connection);
  return server;
}

/** Starts to keep tunnels open. */
function start(): void {
  const stopping = new AbortController();
  const server = {
    async openTunnel(carrier: TunnelCarrier) {
      attempts.push(carrier);
      if (refused.includes(carrier)) throw new Error('the connection was closed');
      const [near, far] = await socketPair();
      const passes = carrier === 'web-socket' || network === 'intact';
      if (passes) open.push({ socket: far, tunnel: openTunnel(far, clock) });
      else if (network === 'changes bytes') {
        open.push({ socket: far, tunnel: openTunnel(await behindChangingProxy(far), clock) });
      }
      // Read and discard the bytes, because a socket reports the end of its connection only if its bytes are read.
      else open.push({ socket: far.resume() });
      return near;
    },
  };
  const done = keepTunnels(
    {
      server,
      isServerReachable: () => isServerReachable,
      accept: () => {},
      onOpened: () => {},
      clock,
      log: silentLog,
      random: () => 0.5,
    },
    stopping.signal,
  );
  stop = async () => {
    stopping.abort();
    await done;
  };
}

/**
 * Waits until both tunnels are waiting to reconnect, advances the clock until they reconnect, and returns the delay.
 */
async function nextDelay(): Promise<number> {
  await expect.poll(() => clock.delays.length).toBe(tunnels);
  const [first = Number.NaN, second] = clock.delays.splice(0);
  expect(second).toBe(first);
  const before = attempts.length;
  clock.advance(first - 1);
  expect(attempts.length).toBe(before);
  clock.advance(1);
  await expect.poll(() => attempts.length).toBe(before + tunnels);
  return first;
}

/** Waits until the tunnels have had a round trip. */
async function areWorking(): Promise<void> {
  await expect
    .poll(() => open.filter(({ tunnel }) => tunnel?.roundTripMilliseconds !== undefined).length)
    .toBe(tunnels);
}

/** Closes the tunnels at the server. */
async function endAll(): Promise<void> {
  await areWorking();
  for (const { socket } of open.splice(0)) socket.destroy();
}

const both = (carrier: TunnelCarrier) => Array.from({ length: tunnels }, () => carrier);

describe('tunnels that ended', () => {
  it('are opened again after a random delay below a second, so that agents do not all connect at the same time', async () => {
    start();
    await areWorking();
    clock.advance(6_000);
    await endAll();
    expect(await nextDelay()).toBe(500);
    await areWorking();
  });

  it('are opened again after longer and longer delays if they end soon', async () => {
    start();
    const delays: number[] = [];
    for (let round = 0; round < 4; round++) {
      await endAll();
      delays.push(await nextDelay());
    }
    expect(delays).toEqual([375, 750, 1_500, 3_000]);
    await areWorking();
    clock.advance(6_000);
    await endAll();
    expect(await nextDelay()).toBe(500);
  });

  it('are opened as upgrades during and after an outage', async () => {
    start();
    await areWorking();
    refused = ['upgrade', 'web-socket'];
    await endAll();
    // The first attempts fail before the agent notices the outage.
    await nextDelay();
    isServerReachable = false;
    for (let round = 0; round < 5; round++) await nextDelay();
    refused = [];
    isServerReachable = true;
    await nextDelay();
    await areWorking();
    expect(new Set(attempts)).toEqual(new Set(['upgrade']));
  });

  it('are WebSockets if only upgrades are refused, and upgrades again when these have ended', async () => {
    refused = ['upgrade'];
    start();
    await nextDelay();
    await nextDelay();
    await areWorking();
    expect(attempts).toEqual([...both('upgrade'), ...both('upgrade'), ...both('web-socket')]);
    clock.advance(6_000);
    refused = [];
    await endAll();
    await nextDelay();
    await areWorking();
    expect(attempts.slice(-tunnels)).toEqual(both('upgrade'));
  });

  it('are upgrades again if a WebSocket is refused as well', async () => {
    refused = ['upgrade', 'web-socket'];
    start();
    for (let round = 0; round < 3; round++) await nextDelay();
    expect(attempts.slice(-2 * tunnels)).toEqual([...both('web-socket'), ...both('upgrade')]);
  });

  it('are WebSockets if a proxy passes the upgrades, but swallows the bytes after them', async () => {
    network = 'swallows bytes';
    start();
    for (let round = 0; round < 2; round++) {
      await expect.poll(() => open.length).toBe(tunnels);
      open.length = 0;
      expect(clock.delays).toEqual([]);
      clock.advance(firstAnswerMs);
      await nextDelay();
    }
    await areWorking();
    expect(attempts).toEqual([...both('upgrade'), ...both('upgrade'), ...both('web-socket')]);
    clock.advance(60_000);
    expect(clock.delays).toEqual([]);
  });

  it('are WebSockets if a proxy passes the upgrades, but changes the bytes after them', async () => {
    network = 'changes bytes';
    start();
    expect([await nextDelay(), await nextDelay()]).toEqual([375, 750]);
    open.splice(0, 2 * tunnels);
    await areWorking();
    expect(attempts).toEqual([...both('upgrade'), ...both('upgrade'), ...both('web-socket')]);
  });
});
