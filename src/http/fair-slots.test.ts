import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { FairSlots } from './fair-slots.ts';

const signal = new AbortController().signal;
const slots = (count: number, clock = new ManualClock(), queue = count) =>
  new FairSlots({ slots: count, queue, waitMilliseconds: 1000, clock });

/** What became of a request for a slot, looked at without waiting. */
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
  it('are there for everybody while there are free ones', async () => {
    const pool = slots(2);
    expect(await pool.acquire('a', signal)).toBeTypeOf('function');
    expect(await pool.acquire('a', signal)).toBeTypeOf('function');
  });

  it('go to the key that holds fewest when one comes free', async () => {
    const pool = slots(2);
    const [first] = [await pool.acquire('busy', signal), await pool.acquire('busy', signal)];
    const more = watched(pool.acquire('busy', signal));
    const other = watched(pool.acquire('quiet', signal));
    first?.();
    await settled();
    expect([more.state, other.state]).toEqual(['waiting', 'admitted']);
    other.release();
    await settled();
    expect(more.state).toBe('admitted');
  });

  it('refuse those who waited too long, or whose request ended', async () => {
    const clock = new ManualClock();
    const pool = slots(1, clock, 4);
    await pool.acquire('a', signal);
    const late = watched(pool.acquire('b', signal));
    const controller = new AbortController();
    const gone = watched(pool.acquire('c', controller.signal));
    controller.abort();
    await settled();
    expect(gone.state).toBe('refused');
    clock.advance(1000);
    await settled();
    expect(late.state).toBe('refused');
  });

  it('displace the one who waits most often when the queue is full', async () => {
    const pool = slots(1, new ManualClock(), 3);
    await pool.acquire('busy', signal);
    const greedy = [1, 2, 3].map(() => watched(pool.acquire('busy', signal)));
    const other = watched(pool.acquire('quiet', signal));
    await settled();
    expect(greedy.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'refused']);
    expect(other.state).toBe('waiting');
    expect(await pool.acquire('busy', signal)).toBeUndefined();
  });

  it('are given back once, however often that is said', async () => {
    const pool = slots(1);
    const release = await pool.acquire('a', signal);
    release?.();
    release?.();
    expect(await pool.acquire('a', signal)).toBeTypeOf('function');
    expect(watched(pool.acquire('a', signal)).state).toBe('waiting');
  });
});
