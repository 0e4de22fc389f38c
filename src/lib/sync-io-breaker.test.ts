import { expect, it } from 'vitest';
import { SyncIoBreaker } from './sync-io-breaker.ts';

it('the breaker stays closed for fast operations and opens after a very slow one, even if that failed', () => {
  let now = 0;
  const trust = new SyncIoBreaker({ maxBlockMs: 20, maxOpenMs: 1000, elapsed: () => now });
  const taking = (milliseconds: number) =>
    trust.run(() => {
      now += milliseconds;
      if (milliseconds > 100) throw new Error('slow and wrong');
      return milliseconds;
    });
  expect(taking(80)).toBe(80);
  expect(trust.allowsSync()).toBe(true);
  now += 10_000;
  expect(taking(81)).toBe(81);
  expect(trust.allowsSync()).toBe(false);
  now += 999;
  expect(trust.allowsSync()).toBe(false);
  now += 1;
  expect(trust.allowsSync()).toBe(true);
  expect(() => taking(101)).toThrow('slow and wrong');
  expect(trust.allowsSync()).toBe(false);
});

it('the breaker tolerates occasional slow operations, but not repeated ones', () => {
  let now = 0;
  const trust = new SyncIoBreaker({ maxBlockMs: 20, maxOpenMs: 1000, elapsed: () => now });
  const taking = (milliseconds: number) => {
    trust.run(() => {
      now += milliseconds;
    });
    return trust.allowsSync();
  };
  for (let time = 0; time < 100; time++) expect(taking(20)).toBe(true);
  for (let time = 0; time < 100; time++) {
    expect(taking(30)).toBe(true);
    now += 1500;
  }
  expect([taking(30), taking(30), taking(30)]).toEqual([true, true, false]);
});

it('the breaker opens for longer each time, until operations have been fast for long', () => {
  let now = 0;
  const trust = new SyncIoBreaker({ maxBlockMs: 20, maxOpenMs: 60_000, elapsed: () => now });
  const distrust = () => {
    trust.run(() => {
      now += 81;
    });
    const from = now;
    while (!trust.allowsSync()) now += 500;
    return now - from;
  };
  expect(distrust()).toBe(1000);
  expect(Array.from({ length: 8 }, distrust)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  now += 60_000;
  expect(distrust()).toBe(1000);
});
