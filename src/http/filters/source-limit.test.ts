import { expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { unauthorized } from '../../api/status.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { composeFilters } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { errorReplyFilter } from './recover.ts';
import { type SourceLimitOptions, sourceLimitFilter } from './source-limit.ts';

const clock = new ManualClock();

function limited(options: Partial<SourceLimitOptions> = {}) {
  const filter = sourceLimitFilter({ clock, freeFailures: 2, ...options });
  return async (remoteAddress: string, token: string): Promise<number> => {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    const exchange = exchangeFor({ remoteAddress, headers }, clock);
    const next = async (): Promise<Reply> => {
      if (!token.startsWith('good')) throw unauthorized();
      exchange.identity = { user: { name: 'u', groups: [] }, system: false, signal: new AbortController().signal };
      return { status: 200, headers: {} };
    };
    const { status, headers: answered } = await composeFilters(
      [errorReplyFilter({ log: silentLog }), filter],
      next,
    )(exchange);
    return status === 429 ? -Number(answered['retry-after']) : status;
  };
}

it('a source that keeps failing waits longer and longer (completions §10)', async () => {
  const call = limited();
  expect([await call('a', '1'), await call('a', '2'), await call('a', '3')]).toEqual([401, 401, 401]);
  expect(await call('a', '4')).toBe(-1);
  clock.advance(1000);
  expect([await call('a', '5'), await call('a', '6')]).toEqual([401, -2]);
  clock.advance(2000);
  expect([await call('a', '7'), await call('a', '8')]).toEqual([401, -4]);
  expect(await call('b', '1')).toBe(401);
});

it('all addresses of an IPv6 network are one source', async () => {
  const call = limited();
  for (const last of [1, 2, 3]) await call(`2001:db8:0:1::${last}`, 'bad');
  expect(await call('2001:db8:0:1:ffff::4', 'bad')).toBe(-1);
  expect(await call('2001:db8:0:2::1', 'bad')).toBe(401);
});

it.each([3_600_000, -3_600_000])('waits do not change if the clock is set by %i ms', async (by) => {
  const call = limited();
  for (let count = 0; count < 3; count++) await call('a', 'bad');
  clock.setWall(by);
  expect(await call('a', 'bad')).toBe(-1);
  clock.advance(1000);
  expect(await call('a', 'bad')).toBe(401);
});

it('a recently valid credential passes, whatever else its source sends', async () => {
  const call = limited();
  expect(await call('a', 'good-1')).toBe(200);
  for (let count = 0; count < 4; count++) await call('a', `bad-${count}`);
  expect(await call('a', 'good-1')).toBe(200);
  expect(await call('a', 'good-2')).toBeLessThan(0);
});

it('a program that repeats a deleted key does not make its source wait', async () => {
  const call = limited();
  for (let count = 0; count < 40; count++) {
    await call('a', 'gone');
    clock.advance(1000);
  }
  expect(await call('a', 'gone')).toBeLessThan(0);
  expect(await call('a', 'good-1')).toBe(200);
  // The first invalid credential counts as one of the two free failures.
  expect([await call('a', 'x'), await call('a', 'y'), await call('a', 'z')]).toEqual([401, 401, -1]);
});

it('requests with and without a credential do not make each other wait', async () => {
  const call = limited();
  for (let count = 0; count < 3; count++) await call('a', '');
  expect(await call('a', '')).toBe(-1);
  expect(await call('a', 'good-1')).toBe(200);
  expect([await call('a', 'bad'), await call('a', 'bad'), await call('a', 'bad'), await call('a', 'bad')]).toEqual([
    401, 401, 401, -1,
  ]);
  clock.advance(1000);
  expect(await call('a', '')).toBe(401);
});

it('the count restarts after a time without failures, and no wait is longer than a minute', async () => {
  const call = limited();
  for (let count = 0; count < 40; count++) {
    await call('a', 'bad');
    clock.advance(60_000);
  }
  await call('a', 'bad');
  expect(await call('a', 'bad')).toBe(-60);
  clock.advance(11 * 60_000);
  expect([await call('a', 'bad'), await call('a', 'bad')]).toEqual([401, 401]);
});

it('no more sources are tracked than configured', async () => {
  const call = limited({ freeFailures: 0, maxSources: 2 });
  await call('a', 'x');
  expect(await call('a', 'x')).toBe(-1);
  await call('b', 'x');
  await call('c', 'x');
  expect(await call('a', 'x')).toBe(401);
});
