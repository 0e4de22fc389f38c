import { describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';
import { withTimeout } from './with-timeout.ts';

const late = () => new Error('too late');

describe('withTimeout', () => {
  it('returns a result that arrives in time, and leaves no timer behind', async () => {
    const clock = new ManualClock();
    let seen: AbortSignal | undefined;
    const answer = await withTimeout({ clock, milliseconds: 10, timeoutError: late }, async (signal) => {
      seen = signal;
      return 7;
    });
    clock.advance(100);
    expect([answer, seen?.aborted]).toEqual([7, false]);
  });

  it('does not wait for a function that ignores its signal', async () => {
    const clock = new ManualClock();
    let seen: AbortSignal | undefined;
    const answer = withTimeout({ clock, milliseconds: 10, timeoutError: late }, (signal) => {
      seen = signal;
      return new Promise<never>(() => {});
    });
    clock.advance(10);
    await expect(answer).rejects.toThrow('too late');
    expect(seen?.aborted).toBe(true);
  });

  it('ends when the caller aborts, before and during the call', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const options = { clock, milliseconds: 10, timeoutError: late, signal: caller.signal };
    const never = () => new Promise<never>(() => {});
    const answer = withTimeout(options, never);
    caller.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    await expect(withTimeout(options, never)).rejects.toThrow('gone');
  });
});
