import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { openManagementTestEnv } from '../../management/management.fixture.ts';
import { interruptibleStore } from '../../store/interruptible-store.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { gatedStore } from '../../store/replicas.fixture.ts';
import type { Store } from '../../store/store.ts';
import { openStoreFreshness, type StoreFreshness } from './store-freshness.ts';

const slices = ['management', 'local'];
let opened: StoreFreshness | undefined;
afterEach(() => opened?.close());

async function replica() {
  const clock = new ManualClock();
  const shared = openMemoryStore({ clock });
  const { store, gate } = gatedStore(shared);
  const messages: string[] = [];
  const note = (_: object, message: string) => void messages.push(message);
  const log: Log = { ...silentLog, error: note, info: note };
  opened = await openStoreFreshness({ store, slices, clock, log });
  if (opened === undefined) throw new Error('a shared store needs confirmations');
  const freshness = opened;
  /** Advances the clock in steps of 100 ms and lets the answers of the store arrive. */
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      clock.advance(100);
      await settle();
    }
  };
  return { clock, shared, store, gate, freshness, messages, pass };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const write = (store: Store, slice: string, value: string) =>
  store.transact({ writes: [{ key: { slice, segments: ['a'] }, value }] });

describe('the freshness of a shared store', () => {
  it('is confirmed after the observers have received all acknowledged writes', async () => {
    const { freshness, shared, store, gate } = await replica();
    const seen: (string | undefined)[] = [];
    await store.observe({ slice: 'management', prefix: [] }, 1, {
      changes: (changes) => void seen.push(...changes.map(({ value }) => value)),
      ended() {},
    });
    gate.hold();
    await write(shared, 'management', 'one');
    expect(seen).toEqual([]);
    await freshness.confirm();
    expect(seen).toEqual(['one']);
  });

  it('has a version that changes only if something was written to its slices', async () => {
    const { freshness, shared } = await replica();
    const { version } = freshness;
    await freshness.confirm();
    await write(shared, 'elsewhere', 'one');
    await freshness.confirm();
    expect(freshness.version).toBe(version);
    await write(shared, 'local', 'one');
    await freshness.confirm();
    expect(freshness.version).toBeGreaterThan(version);
  });

  it('needs no waiting while the store answers', async () => {
    const { freshness, pass, messages } = await replica();
    for (let count = 0; count < 50; count++) {
      await pass(100);
      expect(freshness.requireCurrent()).toBeUndefined();
    }
    await freshness.healthCheck.check();
    expect(messages).toEqual([]);
  });

  it('is lost a second after the store stopped answering, and back when it answers again', async () => {
    const { freshness, gate, pass, messages } = await replica();
    gate.disconnect();
    await pass(1_000);
    expect(freshness.requireCurrent()).toBeUndefined();
    await pass(500);
    await expect(freshness.requireCurrent()).rejects.toMatchObject({
      code: 503,
      status: { details: { retryAfterSeconds: 1 } },
    });
    await expect(freshness.healthCheck.check()).rejects.toThrow('cannot confirm');
    expect(freshness.lost.aborted).toBe(false);
    gate.reconnect();
    await pass(600);
    expect(freshness.requireCurrent()).toBeUndefined();
    expect(messages).toEqual([
      'the store does not confirm that the permissions are current; rejecting requests with 503',
      'the store confirms again that the permissions are current; requests are served',
    ]);
  });

  it('ends streams after four seconds, and gives later streams a new signal', async () => {
    const { freshness, gate, pass } = await replica();
    const before = freshness.lost;
    gate.disconnect();
    await pass(3_900);
    expect(before.aborted).toBe(false);
    await pass(200);
    expect(before.aborted).toBe(true);
    expect(before.reason).toMatchObject({ code: 503 });
    gate.reconnect();
    await pass(1_100);
    expect(freshness.lost.aborted).toBe(false);
  });

  it('asks the store first if the process was paused', async () => {
    const { clock, freshness } = await replica();
    // Each timer that is due runs only once, as after a pause of the process.
    clock.advance(60_000);
    await expect(freshness.requireCurrent()).resolves.toBeUndefined();
    expect(freshness.requireCurrent()).toBeUndefined();
    expect(freshness.lost.aborted).toBe(false);
  });
});

it('the freshness of the store is not confirmed while the caches of a plane must be loaded again, although the store answers', async () => {
  const clock = new ManualClock();
  const { store, interrupt, failLists } = interruptibleStore(openMemoryStore({ clock }));
  const { plane } = await openManagementTestEnv({}, { store, clock });
  const freshness = await openStoreFreshness({ store, slices: [plane.id], clock, log: silentLog });
  opened = freshness;
  freshness?.follow(plane);
  await freshness?.confirm();
  failLists(1);
  interrupt();
  await expect(freshness?.confirm()).rejects.toMatchObject({ code: 503 });
  clock.advance(5_000);
  await expect
    .poll(() =>
      freshness?.confirm().then(
        () => 'confirmed',
        () => 'refused',
      ),
    )
    .toBe('confirmed');
  plane.close();
});

it('the server refuses to start if the store does not answer within ten seconds', async () => {
  const clock = new ManualClock();
  const store = { isShared: true, revision: () => new Promise<number>(() => {}) };
  let failure: unknown;
  const opening = openStoreFreshness({ store, slices, clock, log: silentLog }).catch((error: unknown) => {
    failure = error;
  });
  clock.advance(9_999);
  await settle();
  expect(failure).toBeUndefined();
  clock.advance(1);
  await opening;
  expect(failure).toMatchObject({ code: 503, message: expect.stringContaining('did not answer within 10 seconds') });
});

it('the freshness of the store is lost for good after the server has refused to use the store', async () => {
  const { freshness, pass, messages } = await replica();
  const { lost } = freshness;
  freshness.refuse('the store has schema 2');
  freshness.refuse('the store has schema 3');
  expect(lost.aborted).toBe(true);
  for (const answer of [freshness.requireCurrent(), freshness.confirm()])
    await expect(answer).rejects.toMatchObject({ code: 503, message: expect.stringContaining('schema 2') });
  await pass(5_000);
  await expect(freshness.requireCurrent()).rejects.toMatchObject({ code: 503 });
  expect(freshness.lost.aborted).toBe(true);
  expect(messages).toEqual(['requests get 503, and streams end: the store has schema 2']);
});

it('a store that is not shared has no freshness, so that it costs nothing', async () => {
  const asked: string[] = [];
  const store = { isShared: false, revision: (slice: string) => asked.push(slice) };
  const clock = new ManualClock();
  expect(await openStoreFreshness({ store, slices, clock, log: silentLog })).toBeUndefined();
  clock.advance(10_000);
  expect(asked).toEqual([]);
});
