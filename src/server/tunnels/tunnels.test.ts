import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { openTunnel, type Tunnel } from '../../tunnel/open-tunnel.ts';
import { serveTunnel } from '../../tunnel/serve-tunnel.ts';
import { socketPair } from '../../tunnel/socket-pair.fixture.ts';
import { Tunnels } from './tunnels.ts';

const never = new AbortController().signal;
/** The timeout for a busy machine, which may need longer than the default of one second. */
const patient = { timeout: 10_000 };

describe('a connection through tunnels of which one agent does not respond', () => {
  let clock: ManualClock;
  let tunnels: Tunnels;
  /** The signals of the attempts that have reached the agent that does not respond. */
  let attempts: AbortSignal[];
  let silent: Tunnel;
  beforeEach(async () => {
    clock = new ManualClock();
    tunnels = new Tunnels(clock);
    attempts = [];
    silent = await addTunnel((signal) => {
      attempts.push(signal);
      return new Promise<never>(() => {});
    });
  });
  afterEach(() => tunnels.close());

  /** Adds a tunnel whose clock stands still, so no attempt in the tunnel reaches its own timeout. */
  async function addTunnel(accept: (signal: AbortSignal) => Promise<(connection: object) => void>): Promise<Tunnel> {
    const [near, far] = await socketPair();
    const stopped = new ManualClock();
    const tunnel = openTunnel(near, stopped);
    serveTunnel(far, { accept: (_, signal) => accept(signal), clock: stopped });
    tunnels.add('edge', tunnel);
    return tunnel;
  }

  it('is cancelled by the signal of the caller, at both ends', async () => {
    const ending = new AbortController();
    const refused = expect(tunnels.to('edge').dial(ending.signal)).rejects.toThrow('no longer needed');
    await expect.poll(() => attempts.length, patient).toBe(1);
    ending.abort(new Error('no longer needed'));
    await refused;
    await expect.poll(() => silent.connections, patient).toBe(0);
    await expect.poll(() => attempts[0]?.aborted, patient).toBe(true);
  });

  it('fails after a time that does not depend on the number of tunnels', async () => {
    await addTunnel(() => new Promise<never>(() => {}));
    const refused = expect(tunnels.to('edge').dial(never)).rejects.toMatchObject({ code: 503, why: 'TooSlow' });
    await expect.poll(() => attempts.length, patient).toBe(1);
    clock.advance(30_000);
    await refused;
    await expect.poll(() => silent.connections, patient).toBe(0);
  });

  it('does not wait for that agent again while another one responds', async () => {
    const working = await addTunnel(async () => () => {});
    const ending = new AbortController();
    const refused = expect(tunnels.to('edge').dial(ending.signal)).rejects.toThrow();
    await expect.poll(() => attempts.length, patient).toBe(1);
    ending.abort();
    await refused;
    // Now both tunnels have no connection.
    await expect.poll(() => silent.connections, patient).toBe(0);
    await tunnels.to('edge').dial(never);
    expect([working.connections, attempts.length]).toEqual([1, 1]);
  });
});

it('each new tunnel of a cluster is reported to those who wait for this cluster, until they stop', async () => {
  const tunnels = new Tunnels(new ManualClock());
  let opened = 0;
  const stop = tunnels.to('edge').onOpened(() => opened++);
  const add = async (cluster: string) => tunnels.add(cluster, openTunnel((await socketPair())[0], new ManualClock()));
  await add('other');
  expect(opened).toBe(0);
  await add('edge');
  await add('edge');
  expect(opened).toBe(2);
  stop();
  await add('edge');
  expect(opened).toBe(2);
  tunnels.close();
});
