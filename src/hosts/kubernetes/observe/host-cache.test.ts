import { once, setMaxListeners } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import type { ApiClient, ResourceClient } from '../../../client/resource-client.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { silentLog } from '../../../lib/log.ts';
import { HostCache, type HostCacheOptions } from './host-cache.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);
const minute = 60_000;
const kinds = 6;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A cache of a host without objects, and the number of its open watches. */
function setUp(options: Pick<HostCacheOptions, 'isInUse' | 'onIdle'> = {}) {
  const clock = new ManualClock();
  const open = { watches: 0, lists: 0 };
  /** The host responds to lists, refuses them, or never responds. */
  const host: { state: 'up' | 'down' | 'hanging' } = { state: 'up' };
  const resource = {
    async list({ signal = never }: { signal?: AbortSignal }) {
      open.lists++;
      if (host.state === 'down') throw new Error('refused');
      if (host.state === 'hanging') await once(signal, 'abort');
      return { items: [], resourceVersion: '1' };
    },
    async *watch({ signal = never }) {
      if (signal.aborted) return;
      open.watches++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      open.watches--;
    },
  };
  const client = { resource: () => resource as unknown as ResourceClient } as ApiClient;
  const probe = async () => {};
  const clients = { hostClient: client, metadataClient: client };
  const cache = new HostCache({ ...options, ...clients, probe, clock, log: silentLog });
  ends.push(() => cache.close());
  /** Waits until the watches have started or stopped. Each watch needs a few turns of the event loop for this. */
  const until = async (watches: number) => {
    for (let turn = 0; turn < 1_000 && open.watches !== watches; turn++) await new Promise(setImmediate);
    expect(open.watches).toBe(watches);
  };
  return { cache, clock, open, host, until };
}

it('the host cache starts watches on first use, and stops them after five minutes without use', async () => {
  let idle = 0;
  const { cache, clock, until } = setUp({ onIdle: () => idle++ });
  await until(0);
  await cache.ready(never);
  await until(kinds);
  clock.advance(4 * minute);
  await cache.ready(never);
  clock.advance(4 * minute);
  await until(kinds);
  clock.advance(minute);
  await until(0);
  expect(idle).toBe(1);
  // No timer is set while the cache is stopped.
  clock.advance(60 * minute);
  expect(idle).toBe(1);
});

it('the host cache lists again on the first use after a stop, and notifies its listeners', async () => {
  const { cache, clock, open, until } = setUp();
  let gaps = 0;
  cache.listen({ onChange() {}, onGap: () => gaps++ });
  await cache.ready(never);
  await until(kinds);
  clock.advance(5 * minute);
  await until(0);
  expect([open.lists, gaps]).toEqual([kinds, 1]);
  await cache.ready(never);
  await until(kinds);
  expect([open.lists, gaps]).toEqual([2 * kinds, 2]);
});

it('the host cache runs as long as it is watched, an operation needs it or a connection is open', async () => {
  const used = { isInUse: false };
  const { cache, clock, until } = setUp({ isInUse: () => used.isInUse });
  const ending = new AbortController();
  const watching = cache.watch({ onChange() {}, onGap() {} }, ending.signal);
  await until(kinds);
  clock.advance(30 * minute);
  await until(kinds);
  let finish = () => {};
  const task = () =>
    new Promise<void>((resolve) => {
      finish = resolve;
    });
  const operation = cache.use(never, task);
  ending.abort();
  await watching;
  clock.advance(30 * minute);
  await until(kinds);
  used.isInUse = true;
  finish();
  await operation;
  clock.advance(30 * minute);
  await until(kinds);
  used.isInUse = false;
  clock.advance(5 * minute);
  await until(0);
});

it('the host cache rejects calls after it was closed, and waiting calls when it is closed', async () => {
  const { cache } = setUp();
  const waiting = cache.ready(never);
  const closing = cache.close();
  await expect(waiting).rejects.toThrow('the connection to the cluster has been closed');
  await closing;
  await expect(cache.ready(never)).rejects.toThrow('the connection to the cluster has been closed');
});

it('the host cache retries immediately for a request after the host was unreachable, and waits for the result', async () => {
  const { cache, clock, open, host, until } = setUp();
  host.state = 'down';
  await expect(cache.ready(never)).rejects.toThrow('the cluster cannot be read: refused');
  host.state = 'up';
  clock.advance(20);
  await cache.ready(never);
  await until(kinds);
  expect(open.lists).toBeLessThanOrEqual(3 * kinds);
});

it('the host cache rejects requests with the last error if the last retry has ended just now', async () => {
  const { cache, clock, open, host } = setUp();
  host.state = 'down';
  const failed = () => expect(cache.ready(never)).rejects.toThrow('the cluster cannot be read: refused');
  await failed();
  await failed();
  const { lists } = open;
  for (let request = 0; request < 10; request++) await failed();
  expect(open.lists).toBe(lists);
  clock.advance(1_000);
  await failed();
  expect(open.lists).toBeGreaterThan(lists);
});

it('the host cache rejects requests with the last error after three seconds if a retry hangs', async () => {
  const { cache, clock, open, host } = setUp();
  host.state = 'down';
  await expect(cache.ready(never)).rejects.toThrow('refused');
  host.state = 'hanging';
  const { lists } = open;
  cache.retry();
  for (let turn = 0; turn < 1_000 && open.lists < lists + kinds; turn++) await new Promise(setImmediate);
  const refused = expect(cache.ready(never)).rejects.toThrow('the cluster cannot be read: refused');
  clock.advance(3_000);
  await refused;
  await expect(cache.ready(never)).rejects.toThrow('the cluster cannot be read: refused');
});

it('the host cache retries all kinds as soon as one of them has been listed again', async () => {
  const { cache, clock, open, host, until } = setUp();
  host.state = 'down';
  const ending = new AbortController();
  const watching = cache.watch({ onChange() {}, onGap() {} }, ending.signal);
  // Each kind has its own random delay, of up to 30 seconds after some failures.
  for (let second = 0; second < 200; second++) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  host.state = 'up';
  const { lists } = open;
  for (let step = 0; step < 300 && open.lists === lists; step++) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  await until(kinds);
  ending.abort();
  await watching;
});
