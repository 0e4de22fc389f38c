import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { RequestEnd } from '../request/request-end.ts';
import { FairSlots } from './fair-slots.ts';

const end = new RequestEnd();
const slots = (count: number, clock = new ManualClock(), queue = count) =>
  new FairSlots({ slots: count, maxWaiting: queue, waitMilliseconds: 1000, clock });

/** Observes the result of an acquire without waiting for it. */
function watched(asked: Promise<(() => void) | undefined>) {
  const seen: { state: 'waiting' | 'admitted' | 'refused'; release: () => void } = { state: 'waiting', release() {} };
  void asked.then((release) => {
    seen.state = release === undefined ? 'refused' : 'admitted';
    if (release !== undefined) seen.release = release;
  });
  return seen;
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('fair slots', () => {
  it('are available to every key while one is free', async () => {
    const pool = slots(2);
    expect(await pool.acquire('a', end)).toBeTypeOf('function');
    expect(await pool.acquire('a', end)).toBeTypeOf('function');
  });

  it('go to the key that holds the fewest when one is released', async () => {
    const pool = slots(2);
    const [first] = [await pool.acquire('busy', end), await pool.acquire('busy', end)];
    const more = watched(pool.acquire('busy', end));
    const other = watched(pool.acquire('quiet', end));
    first?.();
    await settled();
    expect([more.state, other.state]).toEqual(['waiting', 'admitted']);
    other.release();
    await settled();
    expect(more.state).toBe('admitted');
  });

  it('are refused after the timeout or the end of the request', async () => {
    const clock = new ManualClock();
    const pool = slots(1, clock, 4);
    await pool.acquire('a', end);
    const late = watched(pool.acquire('b', end));
    const disconnected = new RequestEnd();
    const gone = watched(pool.acquire('c', disconnected));
    disconnected.end(new Error('gone'));
    await settled();
    expect(gone.state).toBe('refused');
    clock.advance(1000);
    await settled();
    expect(late.state).toBe('refused');
  });

  it('displace a request of the key that waits most if the queue is full', async () => {
    const pool = slots(1, new ManualClock(), 3);
    await pool.acquire('busy', end);
    const greedy = [1, 2, 3].map(() => watched(pool.acquire('busy', end)));
    const other = watched(pool.acquire('quiet', end));
    await settled();
    expect(greedy.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'refused']);
    expect(other.state).toBe('waiting');
    expect(await pool.acquire('busy', end)).toBeUndefined();
  });

  it('are released once, however often release is called', async () => {
    const pool = slots(1);
    const release = await pool.acquire('a', end);
    release?.();
    release?.();
    expect(await pool.acquire('a', end)).toBeTypeOf('function');
    expect(watched(pool.acquire('a', end)).state).toBe('waiting');
  });
});

describe('the time after which a refused client should retry', () => {
  it('is spread over the longest wait, so that clients that were refused together do not return together', () => {
    const pool = new FairSlots({ slots: 1, maxWaiting: 1, waitMilliseconds: 5000, clock: new ManualClock() });
    const seen = Array.from({ length: 1000 }, () => pool.retryAfterSeconds());
    expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  it('is at least one second', () => {
    const pool = new FairSlots({ slots: 1, maxWaiting: 1, waitMilliseconds: 0, clock: new ManualClock() });
    expect(pool.retryAfterSeconds()).toBe(1);
  });
});

describe('for any sequence of requests', () => {
  const step = fc.record({
    act: fc.constantFrom('ask', 'ask', 'ask', 'end', 'end', 'leave', 'later'),
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    which: fc.nat(1000),
  });

  it('the limits of active and waiting requests hold, and no slot is lost', async () => {
    const limits = fc.record({ count: fc.integer({ min: 1, max: 4 }), queue: fc.integer({ min: 0, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 80 }), async ({ count, queue }, steps) => {
        const clock = new ManualClock();
        const pool = slots(count, clock, queue);
        const asked: { key: string; request: RequestEnd; seen: ReturnType<typeof watched> }[] = [];
        const ended = new Set<unknown>();
        const inState = (state: string) => asked.filter((each) => each.seen.state === state && !ended.has(each));
        for (const { act, key, which } of steps) {
          if (act === 'ask') {
            const request = new RequestEnd();
            asked.push({ key, request, seen: watched(pool.acquire(key, request)) });
          } else if (act === 'later') clock.advance(300);
          else {
            const some = inState(act === 'end' ? 'admitted' : 'waiting');
            const one = some[which % Math.max(1, some.length)];
            if (act === 'leave') one?.request.end(new Error('gone'));
            else if (one !== undefined) {
              ended.add(one);
              one.seen.release();
            }
          }
          for (let turn = 0; turn < 5; turn++) await Promise.resolve();
          const atWork = inState('admitted').length;
          const waiting = inState('waiting').length;
          expect(atWork).toBeLessThanOrEqual(count);
          expect(waiting).toBeLessThanOrEqual(queue);
          // No request waits if a slot is free.
          if (waiting > 0) expect(atWork).toBe(count);
        }
        for (const one of inState('waiting')) one.request.end(new Error('gone'));
        for (const one of inState('admitted')) one.seen.release();
        for (let index = 0; index < count; index++) expect(pool.tryAcquire('last')).toBeTypeOf('function');
        expect(pool.tryAcquire('last')).toBeUndefined();
      }),
    );
  });

  it('each active key gets its share of the slots', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 4 }), async (keys, each) => {
        const pool = slots(keys * each, new ManualClock(), 1000);
        const held = Array.from({ length: keys }, () => 0);
        const releases: (() => void)[] = [];
        const ask = (index: number) =>
          void pool.acquire(`key-${index}`, new RequestEnd()).then((release) => {
            held[index] = (held[index] ?? 0) + 1;
            releases.push(() => {
              held[index] = (held[index] ?? 0) - 1;
              release?.();
            });
          });
        // The requests of the first key get all slots before the other keys send requests.
        for (let times = 0; times < 8 * each; times++) ask(0);
        for (let index = 1; index < keys; index++) for (let times = 0; times < 8 * each; times++) ask(index);
        await settled();
        for (let times = 0; times < keys * each; times++) {
          releases.shift()?.();
          await settled();
        }
        expect(held).toEqual(held.map(() => each));
      }),
    );
  });
});
