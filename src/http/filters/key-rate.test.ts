import { describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { Filter } from '../exchange.ts';
import { keyRate } from './key-rate.ts';

const answered = async () => ({ status: 200, headers: {} });

/** The answer's code, and after how many seconds to come again. */
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

describe('the rate of a key', () => {
  it('lets two seconds of requests come at once, and no more than so many a second after that', async () => {
    const clock = new ManualClock();
    const filter = keyRate({ clock, perSecond: 5 });
    expect(await askOften(filter, 'a', 50)).toBe(10);
    clock.advance(1000);
    expect(await askOften(filter, 'a', 50)).toBe(5);
    clock.advance(60_000);
    expect(await askOften(filter, 'a', 50)).toBe(10);
  });

  it('tells whoever asks too often when to come again, which then is true', async () => {
    const clock = new ManualClock();
    const filter = keyRate({ clock, perSecond: 1 });
    expect(await askOften(filter, 'a', 2)).toBe(2);
    expect(await ask(filter, 'a')).toEqual([429, 1]);
    clock.advance(1000);
    expect(await ask(filter, 'a')).toEqual([200, undefined]);
  });

  it('counts each key by itself, and the server itself not at all', async () => {
    const filter = keyRate({ clock: new ManualClock(), perSecond: 1 });
    expect(await askOften(filter, 'a', 5)).toBe(2);
    expect(await askOften(filter, 'b', 5)).toBe(2);
    expect((await ask(filter, 'a', true))[0]).toBe(200);
  });

  it('is none unless it is set', async () => {
    expect(await askOften(keyRate({ clock: new ManualClock(), perSecond: 0 }), 'a', 1000)).toBe(1000);
  });

  it.each([3_600_000, -3_600_000])('gives nobody more or less because the clock was set by %i ms', async (by) => {
    const clock = new ManualClock();
    const filter = keyRate({ clock, perSecond: 5 });
    await askOften(filter, 'a', 10);
    clock.setWall(by);
    expect(await askOften(filter, 'a', 50)).toBe(0);
    clock.advance(1000);
    expect(await askOften(filter, 'a', 50)).toBe(5);
  });

  it('remembers only as many keys as it is told', async () => {
    const filter = keyRate({ clock: new ManualClock(), perSecond: 1, keys: 2 });
    for (const key of ['a', 'b', 'c']) expect(await askOften(filter, key, 3)).toBe(2);
    // The one that was quiet longest has been forgotten and starts anew.
    expect(await askOften(filter, 'a', 3)).toBe(2);
    expect(await askOften(filter, 'c', 3)).toBe(0);
  });
});
