import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import { sleepAfterAnnotation } from '../api/naming.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { openMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { SharedActivityLog } from './shared-activity.ts';

let clock: ManualClock;
let store: Store;
let writes: number;

beforeEach(() => {
  clock = new ManualClock();
  store = openMemoryStore({ clock });
  writes = 0;
});

function replica(): SharedActivityLog {
  const counted: Pick<Store, 'get' | 'transact'> = {
    get: (key) => store.get(key),
    transact(transaction) {
      writes++;
      return store.transact(transaction);
    },
  };
  return new SharedActivityLog({ store: counted, clock, log: silentLog });
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const instance = (uid: string, sleepAfter: string): VirtualClusterInstance =>
  ({ metadata: { uid, annotations: { [sleepAfterAnnotation]: sleepAfter } } }) as unknown as VirtualClusterInstance;

describe('the last use of an instance that replicas share', () => {
  it('is known to a replica that reads it again', async () => {
    const [one, two] = [replica(), replica()];
    one.recordUse('a');
    await settle();
    expect(two.lastActivity('a')).toBeUndefined();
    await two.refresh('a');
    expect(two.lastActivity('a')).toBe(clock.now());
  });

  it('is written at most every 30 seconds, by all replicas together', async () => {
    const [one, two] = [replica(), replica()];
    for (let second = 0; second < 90; second++) {
      one.recordUse('a');
      two.recordUse('a');
      await settle();
      clock.advance(1_000);
    }
    // The number varies, because two replicas may write at the same moment.
    expect(writes).toBeGreaterThanOrEqual(3);
    expect(writes).toBeLessThanOrEqual(6);
  });

  it('is written often enough for a short period without use', async () => {
    const [one, reader] = [replica(), replica()];
    one.update(instance('a', '8'));
    for (let second = 0; second < 20; second++) {
      one.recordUse('a');
      await settle();
      await reader.refresh('a');
      expect(clock.now() - (reader.lastActivity('a') ?? 0)).toBeLessThan(2_000);
      clock.advance(1_000);
    }
  });

  it('never becomes earlier, whatever replicas and agents report', async () => {
    const [one, two] = [replica(), replica()];
    const latest = clock.now();
    one.recordUse('a', latest);
    await settle();
    two.recordUse('a', latest - 50_000);
    await settle();
    await two.publish('a');
    const reader = replica();
    await reader.refresh('a');
    expect(reader.lastActivity('a')).toBe(latest);
  });

  it('is stored before a wake, also within the interval', async () => {
    const [one, reader] = [replica(), replica()];
    one.recordUse('a');
    await settle();
    clock.advance(5_000);
    one.recordUse('a');
    await one.publish('a');
    await reader.refresh('a');
    expect(reader.lastActivity('a')).toBe(clock.now());
  });

  it('is removed with the instance', async () => {
    const one = replica();
    one.recordUse('a');
    await settle();
    one.forget('a');
    await settle();
    expect((await store.list({ slice: 'activity', prefix: [] })).entries).toEqual([]);
  });

  it('notifies the controller of uses that others have observed', async () => {
    const [one, two] = [replica(), replica()];
    const seen: string[] = [];
    two.onActivity((uid) => seen.push(uid));
    one.recordUse('a');
    await settle();
    await two.refresh('a');
    await two.refresh('a');
    expect(seen).toEqual(['a']);
  });
});
