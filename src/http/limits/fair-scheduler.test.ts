import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { FairScheduler } from './fair-scheduler.ts';

/**
 * A simulated thread: `round` is one tick of its event loop. Work takes the given time. Input that arrives during the
 * work is read in the next tick.
 */
class Thread {
  readonly clock = new ManualClock();
  readonly turns = new FairScheduler({
    clock: this.clock,
    pauseClock: this.clock,
    defer: (callback) => this.#deferred.push(callback),
  });
  /** The keys that got a time slice, in order. */
  readonly had: string[] = [];
  #deferred: (() => void)[] = [];

  async work(key: string, milliseconds: number, then: () => void = () => {}, tenant?: string): Promise<void> {
    await this.turns.waitForTimeSlice(key, tenant);
    this.had.push(key);
    this.clock.advance(milliseconds);
    then();
  }

  async workInBackground(key: string, milliseconds: number): Promise<void> {
    await this.turns.waitForTimeSlice(key, key, 'background');
    this.had.push(key);
    this.clock.advance(milliseconds);
  }

  async round(): Promise<void> {
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const callback of deferred) {
      callback();
      // Runs everything that the time slice starts without waiting.
      for (let step = 0; step < 5; step++) await Promise.resolve();
    }
  }

  get isIdle(): boolean {
    return this.#deferred.length === 0;
  }
}

const times = (count: number, act: (index: number) => unknown) => {
  for (let index = 0; index < count; index++) void act(index);
};

describe('time slices', () => {
  it('are available immediately to a single key', async () => {
    const thread = new Thread();
    void thread.work('a', 1);
    await thread.round();
    expect(thread.had).toEqual(['a']);
    expect(thread.isIdle).toBe(true);
  });

  it('of a busy key do not delay another key', async () => {
    const thread = new Thread();
    times(1000, () => thread.work('busy', 0.5));
    await thread.round();
    const before = thread.had.length;
    void thread.work('quiet', 0.5);
    await thread.round();
    expect(thread.had[before]).toBe('quiet');
  });

  it('end a round after a few milliseconds, so that input is read', async () => {
    const thread = new Thread();
    times(1000, () => thread.work('busy', 0.5));
    const began = thread.clock.elapsed();
    await thread.round();
    expect(thread.clock.elapsed() - began).toBeLessThan(10);
    void thread.work('quiet', 0.5);
    await thread.round();
    // Rounds are shorter if more than one key is active.
    const beganShared = thread.clock.elapsed();
    await thread.round();
    expect(thread.clock.elapsed() - beganShared).toBeLessThan(4);
  });

  it('are charged for their own time, not for input between two rounds', async () => {
    const thread = new Thread();
    const again = (): void => void thread.work('early', 0.5, () => thread.had.length < 100 && again());
    times(2, again);
    for (let round = 0; round < 5; round++) {
      await thread.round();
      thread.clock.advance(100);
    }
    times(40, () => thread.work('late', 0.5));
    const before = thread.had.length;
    while (thread.had.length < before + 30) await thread.round();
    // The key `early` is ahead of `late` by only a few milliseconds, because the time for reading input is not counted
    // for any key.
    expect(thread.had.slice(before, before + 30)).toContain('early');
  });

  it('need one callback each and one more, however many there are', async () => {
    const clock = new ManualClock();
    const looks: (() => void)[] = [];
    const turns = new FairScheduler({ clock, defer: (look) => looks.push(look) });
    times(10, () => turns.waitForTimeSlice('a'));
    expect(looks).toHaveLength(11);
    for (const look of looks.splice(0)) look();
    expect(looks).toHaveLength(0);
  });

  it('are granted in long rounds if all keys have similar load', async () => {
    const thread = new Thread();
    times(100, (index) => thread.work(`key-${index}`, 0.5));
    await thread.round();
    expect(thread.clock.elapsed()).toBeGreaterThan(2);
  });

  it('are shared by their duration, not by their number', async () => {
    const thread = new Thread();
    times(200, () => thread.work('lists', 4));
    times(2000, () => thread.work('gets', 0.1));
    while (thread.clock.elapsed() < 300) await thread.round();
    const lists = thread.had.filter((key) => key === 'lists').length * 4;
    const gets = thread.had.filter((key) => key === 'gets').length * 0.1;
    expect(gets).toBeGreaterThan(100);
    expect(lists).toBeGreaterThan(100);
    expect(Math.abs(gets - lists)).toBeLessThan(20);
  });

  it('are granted again to a key that is ahead, even while new keys keep arriving', async () => {
    const thread = new Thread();
    void thread.work('greedy', 10_000);
    void thread.work('greedy', 1);
    let newcomers = 0;
    const oneMore = () => void thread.work(`new-${newcomers++}`, 1, oneMore);
    times(5, oneMore);
    for (let rounds = 0; rounds < 2000 && thread.had.filter((key) => key === 'greedy').length < 2; rounds++) {
      await thread.round();
    }
    expect(thread.had.filter((key) => key === 'greedy')).toHaveLength(2);
  });
});

describe('the time slices of a tenant', () => {
  it('take half of the time beside a tenant with twenty times as many requests of as many keys', async () => {
    const thread = new Thread();
    times(400, (index) => thread.work(`busy-${index % 20}`, 5, undefined, 'busy'));
    times(20, () => thread.work('quiet', 5, undefined, 'quiet'));
    while (thread.had.length < 40) await thread.round();
    const quiet = thread.had.slice(0, 40).filter((key) => key === 'quiet').length;
    expect(quiet).toBeGreaterThanOrEqual(19);
  });

  it('take half of the time if it sends one request at a time', async () => {
    const thread = new Thread();
    times(400, (index) => thread.work(`busy-${index % 20}`, 5, undefined, 'busy'));
    const again = (): void => void thread.work('quiet', 5, again, 'quiet');
    again();
    while (thread.had.length < 100) await thread.round();
    const quiet = thread.had.slice(0, 100).filter((key) => key === 'quiet').length;
    expect(quiet).toBeGreaterThanOrEqual(45);
    expect(quiet).toBeLessThanOrEqual(55);
  });

  it('are shared equally by its keys', async () => {
    const thread = new Thread();
    times(100, () => thread.work('one', 1, undefined, 'tenant'));
    times(10, () => thread.work('two', 4, undefined, 'tenant'));
    times(100, () => thread.work('other', 1));
    while (thread.clock.elapsed() < 60) await thread.round();
    const millisecondsOf = (key: string, cost: number) => thread.had.filter((had) => had === key).length * cost;
    expect(millisecondsOf('other', 1)).toBeGreaterThan(25);
    expect(millisecondsOf('one', 1)).toBeGreaterThan(10);
    expect(Math.abs(millisecondsOf('one', 1) - millisecondsOf('two', 4))).toBeLessThanOrEqual(8);
  });

  it('are granted in short rounds if another tenant has far more keys', async () => {
    const thread = new Thread();
    times(100, (index) => thread.work(`busy-${index}`, 0.5, undefined, 'busy'));
    void thread.work('quiet', 0.5);
    const began = thread.clock.elapsed();
    await thread.round();
    expect(thread.clock.elapsed() - began).toBeLessThan(2);
  });
});

describe('a long time slice', () => {
  /** Returns the time of a request of another tenant that needs a time slice in each of ten rounds. */
  async function timeOfOther(thread: Thread): Promise<number> {
    const began = thread.clock.elapsed();
    for (let slice = 0; slice < 10; slice++) {
      await thread.round();
      void thread.work('quiet', 0.1);
      await thread.round();
    }
    return thread.clock.elapsed() - began;
  }

  it('is followed by a pause of its tenant that is as long, if another tenant is active', async () => {
    const thread = new Thread();
    void thread.work('quiet', 0.1);
    await thread.round();
    times(10, (index) => thread.work(`busy-${index}`, 50, undefined, 'busy'));
    await thread.round();
    expect(thread.had).toEqual(['quiet', 'busy-0']);
    expect(await timeOfOther(thread)).toBeLessThan(5);
    thread.clock.advance(50);
    await thread.round();
    expect(thread.had.at(-1)).toBe('busy-1');
  });

  it('delays no request forever', async () => {
    const thread = new Thread();
    void thread.work('quiet', 0.1);
    times(10, () => thread.work('busy', 5_000));
    times(10, () => thread.work('other', 50));
    for (let rounds = 0; rounds < 1_000 && thread.had.length < 21; rounds++) {
      await thread.round();
      if (thread.isIdle) thread.clock.advance(1);
    }
    expect(thread.had).toHaveLength(21);
    for (let rounds = 0; rounds < 5; rounds++) await thread.round();
    expect(thread.isIdle).toBe(true);
  });

  it('of a tenant that was alone is followed by the next one', async () => {
    const thread = new Thread();
    times(10, () => thread.work('busy', 50));
    const began = thread.clock.elapsed();
    while (thread.had.length < 10) await thread.round();
    expect(thread.clock.elapsed() - began).toBe(500);
  });
});

describe('a new key', () => {
  it('waits for few others, even if some of their time slices take long', async () => {
    const thread = new Thread();
    times(4000, (index) => thread.work(`key-${index % 40}`, index % 19 === 0 ? 40 : 0.5));
    while (thread.had.length < 1000) await thread.round();
    const before = thread.had.length;
    void thread.work('new', 0.5);
    while (!thread.had.includes('new')) await thread.round();
    expect(thread.had.indexOf('new') - before).toBeLessThan(80);
  });
});

describe('background work', () => {
  it('does not delay other work', async () => {
    const thread = new Thread();
    times(1000, (index) => thread.workInBackground(`watcher-${index % 50}`, 0.5));
    await thread.round();
    for (let count = 0; count < 20; count++) {
      const before = thread.had.length;
      void thread.work('quiet', 2);
      await thread.round();
      expect(thread.had.slice(before, before + 2)).toContain('quiet');
    }
  });

  it('gets one of four time slices while other work waits', async () => {
    const thread = new Thread();
    times(500, () => thread.work('busy', 0.5));
    times(500, (index) => thread.workInBackground(`watcher-${index % 50}`, 0.5));
    while (thread.had.length < 400) await thread.round();
    expect(thread.had.slice(0, 400).filter((key) => key !== 'busy')).toHaveLength(100);
  });

  it('is shared fairly between keys', async () => {
    const thread = new Thread();
    times(500, () => thread.workInBackground('greedy', 0.5));
    await thread.round();
    const before = thread.had.length;
    void thread.workInBackground('other', 0.5);
    await thread.round();
    expect(thread.had.slice(before, before + 2)).toContain('other');
  });
});

describe('every key', () => {
  it('gets all of its time slices, and at least its share while it waits', async () => {
    const scenario = fc.record({
      keys: fc.array(fc.record({ cost: fc.integer({ min: 1, max: 20 }), count: fc.integer({ min: 1, max: 40 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ keys }) => {
        const thread = new Thread();
        const left = keys.map(({ count }) => count);
        const had = keys.map(() => 0);
        let fair = true;
        // No waiting key is ahead of another waiting key by more than two time slices.
        const longest = Math.max(...keys.map(({ cost }) => cost)) / 10;
        keys.forEach(({ cost, count }, index) => {
          times(count, () =>
            thread.work(`key-${index}`, cost / 10, () => {
              left[index] = (left[index] ?? 0) - 1;
              had[index] = (had[index] ?? 0) + cost / 10;
              const waiting = had.filter((_, each) => (left[each] ?? 0) > 0);
              if (Math.max(...waiting) - Math.min(...waiting) > 2 * longest + 1e-6) fair = false;
            }),
          );
        });
        for (let rounds = 0; !thread.isIdle && rounds < 10_000; rounds++) await thread.round();
        expect(left.every((count) => count === 0)).toBe(true);
        expect(fair).toBe(true);
      }),
    );
  });
});
