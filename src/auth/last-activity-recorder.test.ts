import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { createLastActivityRecorder, type LastActivityRecorderOptions } from './last-activity-recorder.ts';

interface Setting extends Partial<Pick<LastActivityRecorderOptions, 'storedTime' | 'expiresByInactivity' | 'log'>> {
  readonly fail?: boolean;
}

function setUp(options: Setting = {}) {
  const clock = new ManualClock(1_000_000);
  const writes: [string, number][] = [];
  const activity = createLastActivityRecorder({
    clock,
    log: options.log ?? silentLog,
    write: async (name, time) => {
      writes.push([name, time]);
      if (options.fail === true) throw new Error('disk');
    },
    ...(options.storedTime === undefined ? {} : { storedTime: options.storedTime }),
    ...(options.expiresByInactivity === undefined ? {} : { expiresByInactivity: options.expiresByInactivity }),
  });
  const advance = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    // A flush completes before the next macrotask, because it consists only of a chain of promises.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, writes, activity, advance };
}

describe('createLastActivity', () => {
  it('the first use is written within a second, with the time of the latest use', async () => {
    const { activity, writes, advance } = setUp();
    activity.recordUse('a');
    await advance(400);
    activity.recordUse('a');
    expect(writes).toEqual([]);
    await advance(500);
    expect(writes).toEqual([['a', 1_000_400]]);
  });

  it('a use that is being written is reported until the status shows it', async () => {
    const clock = new ManualClock(1_000_000);
    let finish: () => void = () => {};
    const writing = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const activity = createLastActivityRecorder({ clock, log: silentLog, write: () => writing });
    activity.recordUse('a');
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(activity.latestUse('a')).toBe(1_000_000);
    finish();
    await activity.close();
    expect(activity.latestUse('a')).toBeUndefined();
  });

  it('later uses are written at most once a minute, however many there are', async () => {
    const { activity, writes, advance } = setUp();
    for (let second = 0; second < 180; second++) {
      activity.recordUse('a');
      await advance(1000);
    }
    expect(writes).toHaveLength(3);
    expect(writes.map(([, time]) => time)).toEqual([1_000_000, 1_060_000, 1_120_000]);
  });

  it('the next use of a long-idle key is written within a second', async () => {
    const { activity, writes, advance } = setUp();
    activity.recordUse('a');
    await advance(1000);
    await advance(600_000);
    activity.recordUse('a');
    await advance(1000);
    expect(writes).toHaveLength(2);
  });

  it('the one-minute interval holds across a restart', async () => {
    const { activity, writes, advance } = setUp({ storedTime: () => 990_000 });
    activity.recordUse('a');
    await advance(49_999);
    expect(writes).toEqual([]);
    await advance(1);
    expect(writes).toHaveLength(1);
  });

  it.each([3_600_000, -3_600_000])('the one-minute interval holds when the clock is set by %i ms', async (by) => {
    const { activity, clock, writes, advance } = setUp();
    activity.recordUse('a');
    await advance(1_000);
    clock.setWall(by);
    activity.recordUse('a');
    await advance(58_000);
    expect(writes).toHaveLength(1);
    await advance(2_000);
    expect(writes).toEqual([
      ['a', 1_000_000],
      ['a', 1_001_000 + by],
    ]);
  });

  it('a stored time in the future does not delay the write', async () => {
    const { activity, writes, advance } = setUp({ storedTime: () => 1_000_000 + 3_600_000 });
    activity.recordUse('a');
    await advance(1_000);
    expect(writes).toEqual([['a', 1_000_000]]);
  });

  it('the latest use is reported before it is written', async () => {
    const { activity, advance } = setUp();
    expect(activity.latestUse('a')).toBeUndefined();
    activity.recordUse('a');
    await advance(100);
    activity.recordUse('a');
    expect(activity.latestUse('a')).toBe(1_000_100);
  });

  it('many keys are written together', async () => {
    const { activity, writes, advance } = setUp();
    for (let key = 0; key < 100; key++) activity.recordUse(`k${key}`);
    await advance(1000);
    expect(writes).toHaveLength(100);
  });

  it('with very many keys only later uses of keys that do not expire by inactivity are delayed', async () => {
    const { activity, writes, advance } = setUp({
      storedTime: (name) => (name.startsWith('old') || name === 'pressing' ? 1_000_000 : undefined),
      expiresByInactivity: (name) => name === 'pressing',
    });
    for (let key = 0; key < 12_000; key++) activity.recordUse(`old${key}`);
    for (const name of ['pressing', 'first']) activity.recordUse(name);
    await advance(1000);
    expect(writes.map(([name]) => name)).toEqual(['first']);
    await advance(60_000);
    expect(writes).toContainEqual(['pressing', 1_000_000]);
    expect(writes.length).toBeLessThan(6_200);
    await advance(60_000);
    expect(writes).toHaveLength(12_002);
  });

  it('close writes all pending uses and nothing after that', async () => {
    const { activity, writes, advance } = setUp();
    activity.recordUse('a');
    await activity.close();
    expect(writes).toHaveLength(1);
    activity.recordUse('b');
    await advance(2000);
    expect(writes).toHaveLength(1);
  });

  it('a failed write is logged and the key is written again a minute later', async () => {
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (_, message) => warnings.push(message) };
    const { activity, writes, advance } = setUp({ fail: true, log });
    activity.recordUse('a');
    await advance(1000);
    activity.recordUse('a');
    await advance(60_000);
    expect(writes).toHaveLength(2);
    expect(warnings).toHaveLength(2);
  });
});
