import { describe, expect, it } from 'vitest';
import { sleepAfterAnnotation } from '../../api/naming.ts';
import { ManualClock } from '../../lib/clock.ts';
import { ActivityTracker, isActivityStale } from './activity-tracker.ts';
import { snapshotOf } from './instance-snapshot.ts';
import { sleepModeOf } from './sleep-mode.ts';

const minutes = 60_000;

/** One instance, and a controller that reconciles it when its use is reported. */
function setUp(annotations: Record<string, string> = {}) {
  const clock = new ManualClock();
  let use: (uid: string) => void = () => {};
  let used: number | undefined;
  const activity = {
    lastActivity: () => used,
    onActivity(listener: (uid: string) => void) {
      use = listener;
      return () => {};
    },
  };
  const notes = new ActivityTracker(activity, clock);
  const status: Record<string, string> = {};
  let [looks, writes] = [0, 0];
  const look = () => {
    looks++;
    const facts = snapshotOf({ apiVersion: '', kind: '', metadata: { uid: 'u', annotations }, status });
    const mode = sleepModeOf(facts, used, clock.now());
    const isStale = isActivityStale(facts, mode);
    notes.update(facts, mode, isStale);
    if (!isStale) return;
    writes++;
    status.lastActivity = new Date(mode.lastActivity ?? 0).toISOString();
  };
  const stopping = new AbortController();
  const following = notes.follow((uid) => {
    if (uid !== 'u') return false;
    look();
    return true;
  }, stopping.signal);
  return {
    look,
    counts: () => ({ looks, writes }),
    behind: () => clock.now() - Date.parse(status.lastActivity ?? ''),
    use(uid = 'u') {
      if (uid === 'u') used = clock.now();
      use(uid);
    },
    pass: (milliseconds: number) => clock.advance(milliseconds),
    async end() {
      stopping.abort();
      await following;
    },
  };
}

describe('the last use of an instance', () => {
  it('is not written for an unused instance without auto-sleep', async () => {
    const one = setUp();
    for (let hour = 0; hour < 5; hour++) {
      one.look();
      one.pass(60 * minutes);
    }
    expect(one.counts()).toEqual({ looks: 5, writes: 0 });
    await one.end();
  });

  it('is written on the first use, then at most every five minutes', async () => {
    const one = setUp();
    one.look();
    one.use();
    expect(one.counts()).toEqual({ looks: 2, writes: 1 });
    for (let second = 0; second < 3_600; second++) {
      one.pass(1_000);
      one.use();
      if (second % 60 === 30) one.look();
      expect(one.behind()).toBeLessThanOrEqual(5 * minutes);
    }
    expect(one.counts().writes).toBeLessThanOrEqual(13);
    expect(one.counts().writes).toBeGreaterThanOrEqual(12);
    await one.end();
  });

  it('is written at most every minute for an instance with auto-sleep', async () => {
    const one = setUp({ [sleepAfterAnnotation]: '600' });
    one.look();
    for (let second = 0; second < 600; second++) {
      one.pass(1_000);
      one.use();
      expect(one.behind()).toBeLessThanOrEqual(minutes);
    }
    expect(one.counts().writes).toBeLessThanOrEqual(11);
    await one.end();
  });

  it('is reported on every use of a sleeping instance, so that the next use wakes it', async () => {
    const one = setUp({ [sleepAfterAnnotation]: '60' });
    one.look();
    one.pass(2 * minutes);
    one.look();
    const before = one.counts().looks;
    one.use();
    expect(one.counts().looks).toBe(before + 1);
    await one.end();
  });

  it('leaves no entry for an unknown instance', async () => {
    const one = setUp();
    one.use('other');
    one.use('other');
    expect(one.counts().looks).toBe(0);
    await one.end();
  });
});
