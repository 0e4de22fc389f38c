import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { StoredActivity } from '../../management/activity/activity-log.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import { ActivityRetention, activityLifetimeMs, maxActivityRecords } from './activity-retention.ts';
import { openActivityLog } from './open-activity-log.ts';

function open() {
  const clock = new ManualClock();
  const store = openTestStore({ clock });
  const retention = new ActivityRetention({ store, clock, log: silentLog });
  const log = openActivityLog({ store, retention });
  const add = async (namespace: string, message: string) => {
    const involvedObject = { kind: 'Project', name: 'x', uid: 'y' };
    const stored: StoredActivity = {
      action: 'Changed',
      type: 'Normal',
      message,
      involvedObject,
      time: clock.now(),
      readers: {},
    };
    await store.transact({ writes: log.writesOf(namespace, stored) });
  };
  const messages = async (namespace: string) =>
    (await log.read(namespace, { limit: 100_000 })).rows.map(({ stored }) => stored.message);
  return { clock, retention, store, log, add, messages };
}

describe('the retention of activity records', () => {
  it('keeps the newest records of a namespace, and leaves those of other namespaces', async () => {
    const { retention, add, messages } = open();
    await add('quiet', 'the only one');
    for (let count = 0; count < 10_000; count++) await add('busy', String(count));
    await retention.settled();
    const kept = await messages('busy');
    expect(kept.length).toBeGreaterThanOrEqual(maxActivityRecords);
    expect(kept.length).toBeLessThan(maxActivityRecords + 400);
    expect(kept.slice(0, 3)).toEqual(['9999', '9998', '9997']);
    expect(await messages('quiet')).toEqual(['the only one']);
    expect((await messages('')).length).toBe(kept.length + 1);
    await retention.close();
  });

  it('removes the last readers of a deleted object with the record of its deletion', async () => {
    const { clock, retention, store, log } = open();
    const involvedObject = { kind: 'Space', name: 'x', uid: 'y' };
    const readers = { owner: { user: 'anna' } };
    const stored = {
      action: 'Deleted',
      type: 'Normal',
      message: '',
      involvedObject,
      readers,
      time: clock.now(),
    } as const;
    await store.transact({ writes: log.writesOf('p', stored) });
    expect(await log.lastReaders('p', 'y')).toEqual(readers);
    clock.advance(activityLifetimeMs + 1);
    retention.start();
    await retention.settled();
    expect(await log.lastReaders('p', 'y')).toBeUndefined();
    await retention.close();
  });

  it('removes old records from both lists every hour', async () => {
    const { clock, retention, add, messages } = open();
    retention.start();
    await add('one', 'old');
    clock.advance(activityLifetimeMs - 1_000);
    await add('one', 'new');
    await retention.settled();
    expect(await messages('one')).toEqual(['new', 'old']);
    clock.advance(3_600_000);
    await retention.settled();
    expect(await messages('one')).toEqual(['new']);
    expect(await messages('')).toEqual(['new']);
    await retention.close();
  });
});
