import { describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { keyRateFilter } from './key-rate.ts';

const answered = async () => ({ status: 200, headers: {} });

/** Returns the status code and Retry-After in seconds. */
async function ask(filter: Filter, accessKey: string, system = false): Promise<[number, number | undefined]> {
  const exchange = exchangeFor();
  exchange.identity = { user: { name: 'anna', groups: [] }, accessKey, system, signal: new AbortController().signal };
  try {
    return [(await filter(exchange, answered)).status, undefined];
  } catch (error) {
    const { code, status } = error as { code: number; status: { details?: { retryAfterSeconds?: number } } };
    return [code, status.details?.retryAfterSeconds];
  }
}

async function askOften(filter: Filter, accessKey: string, times: number): Promise<number> {
  let served = 0;
  for (let index = 0; index < times; index++) if ((await ask(filter, accessKey))[0] === 200) served++;
  return served;
}

describe('the rate limit of a key', () => {
  it('allows a burst of two seconds, and then the configured rate', async () => {
    const clock = new ManualClock();
    const filter = keyRateFilter({ clock, perSecond: 5 });
    expect(await askOften(filter, 'a', 50)).toBe(10);
    clock.advance(1000);
    expect(await askOften(filter, 'a', 50)).toBe(5);
    clock.advance(60_000);
    expect(await askOften(filter, 'a', 50)).toBe(10);
  });

  it('returns a Retry-After after which a request succeeds', async () => {
    const clock = new ManualClock();
    const filter = keyRateFilter({ clock, perSecond: 1 });
    expect(await askOften(filter, 'a', 2)).toBe(2);
    expect(await ask(filter, 'a')).toEqual([429, 1]);
    clock.advance(1000);
    expect(await ask(filter, 'a')).toEqual([200, undefined]);
  });

  it('counts each key separately, and not the server itself', async () => {
    const filter = keyRateFilter({ clock: new ManualClock(), perSecond: 1 });
    expect(await askOften(filter, 'a', 5)).toBe(2);
    expect(await askOften(filter, 'b', 5)).toBe(2);
    expect((await ask(filter, 'a', true))[0]).toBe(200);
  });

  it('is disabled by default', async () => {
    expect(await askOften(keyRateFilter({ clock: new ManualClock(), perSecond: 0 }), 'a', 1000)).toBe(1000);
  });

  it.each([3_600_000, -3_600_000])('does not change if the clock is set by %i ms', async (by) => {
    const clock = new ManualClock();
    const filter = keyRateFilter({ clock, perSecond: 5 });
    await askOften(filter, 'a', 10);
    clock.setWall(by);
    expect(await askOften(filter, 'a', 50)).toBe(0);
    clock.advance(1000);
    expect(await askOften(filter, 'a', 50)).toBe(5);
  });

  it('tracks no more keys than configured', async () => {
    const filter = keyRateFilter({ clock: new ManualClock(), perSecond: 1, maxKeys: 2 });
    for (const key of ['a', 'b', 'c']) expect(await askOften(filter, key, 3)).toBe(2);
    // The least recently used key was dropped and starts with a full bucket.
    expect(await askOften(filter, 'a', 3)).toBe(2);
    expect(await askOften(filter, 'c', 3)).toBe(0);
  });
});
