import { describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { type KeyRateLimitOptions, keyRateFilter } from './key-rate.ts';

/**
 * Creates a filter. By default, the burst is the number of requests that the rate allows in two seconds, and no caller
 * is exempt.
 */
function limiter({ perSecond, burst = 2 * perSecond, ...options }: TestLimit): Filter {
  return keyRateFilter({
    clock: new ManualClock(),
    limits: () => ({ requestsPerSecond: perSecond, requestBurst: burst }),
    isExempt: () => false,
    ...options,
  });
}

interface TestLimit extends Partial<KeyRateLimitOptions> {
  readonly perSecond: number;
  readonly burst?: number;
}

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
  it('allows a burst, and then the configured rate', async () => {
    const clock = new ManualClock();
    const filter = limiter({ clock, perSecond: 5 });
    expect(await askOften(filter, 'a', 50)).toBe(10);
    clock.advance(1000);
    expect(await askOften(filter, 'a', 50)).toBe(5);
    clock.advance(60_000);
    expect(await askOften(filter, 'a', 50)).toBe(10);
  });

  it('returns a Retry-After after which a request succeeds', async () => {
    const clock = new ManualClock();
    const filter = limiter({ clock, perSecond: 1 });
    expect(await askOften(filter, 'a', 2)).toBe(2);
    expect(await ask(filter, 'a')).toEqual([429, 1]);
    clock.advance(1000);
    expect(await ask(filter, 'a')).toEqual([200, undefined]);
  });

  it('spreads the retries of clients that are refused together over the time that they need', async () => {
    const filter = limiter({ perSecond: 10 });
    expect(await askOften(filter, 'a', 20)).toBe(20);
    const seconds = await Promise.all(Array.from({ length: 200 }, async () => (await ask(filter, 'a'))[1] ?? 0));
    expect(Math.min(...seconds)).toBe(1);
    expect(Math.max(...seconds)).toBeGreaterThan(5);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(21);
  });

  it('counts each key separately, and not the server itself', async () => {
    const filter = limiter({ perSecond: 1 });
    expect(await askOften(filter, 'a', 5)).toBe(2);
    expect(await askOften(filter, 'b', 5)).toBe(2);
    expect((await ask(filter, 'a', true))[0]).toBe(200);
  });

  it('is off at 0', async () => {
    expect(await askOften(limiter({ perSecond: 0, burst: 1 }), 'a', 1000)).toBe(1000);
  });

  it('has a burst that does not depend on the rate', async () => {
    const clock = new ManualClock();
    const filter = limiter({ clock, perSecond: 2, burst: 30 });
    expect(await askOften(filter, 'a', 50)).toBe(30);
    clock.advance(5000);
    expect(await askOften(filter, 'a', 50)).toBe(10);
  });

  it('follows a change of the limits', async () => {
    const clock = new ManualClock();
    let limits = { requestsPerSecond: 2, requestBurst: 10 };
    const filter = limiter({ clock, perSecond: 0, limits: () => limits });
    expect(await askOften(filter, 'a', 50)).toBe(10);
    limits = { requestsPerSecond: 0, requestBurst: 10 };
    expect(await askOften(filter, 'a', 50)).toBe(50);
    limits = { requestsPerSecond: 5, requestBurst: 5 };
    clock.advance(60_000);
    expect(await askOften(filter, 'a', 50)).toBe(5);
  });

  it('lets exempt callers pass', async () => {
    const filter = limiter({ perSecond: 1, isExempt: ({ accessKey }) => accessKey === 'root' });
    expect(await askOften(filter, 'root', 50)).toBe(50);
    expect(await askOften(filter, 'a', 50)).toBe(2);
  });

  it('is named in the error', async () => {
    const filter = limiter({ perSecond: 1, burst: 3 });
    await askOften(filter, 'a', 3);
    const exchange = exchangeFor();
    exchange.identity = { user: { name: 'anna', groups: [] }, accessKey: 'a', system: false, signal: exchange.signal };
    expect(() => filter(exchange, answered)).toThrow(
      'a credential may send 1 requests per second and 3 at once (server settings limits.requestsPerSecond and limits.requestBurst)',
    );
  });

  it.each([3_600_000, -3_600_000])('does not change if the clock is set by %i ms', async (by) => {
    const clock = new ManualClock();
    const filter = limiter({ clock, perSecond: 5 });
    await askOften(filter, 'a', 10);
    clock.setWall(by);
    expect(await askOften(filter, 'a', 50)).toBe(0);
    clock.advance(1000);
    expect(await askOften(filter, 'a', 50)).toBe(5);
  });

  it('tracks no more keys than configured', async () => {
    const filter = limiter({ perSecond: 1, maxKeys: 2 });
    for (const key of ['a', 'b', 'c']) expect(await askOften(filter, key, 3)).toBe(2);
    // The least recently used key was dropped and starts with a full bucket.
    expect(await askOften(filter, 'a', 3)).toBe(2);
    expect(await askOften(filter, 'c', 3)).toBe(0);
  });
});
