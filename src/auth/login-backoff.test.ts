import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { createLoginBackoff, type LoginBackoff, sourceNetworkOf } from './login-backoff.ts';

const admitted = (backoff: LoginBackoff, account: string, source: string) => {
  const result = backoff.admit({ account, source });
  if (typeof result === 'number') throw new Error(`has to wait ${result} ms`);
  return result;
};

/** Returns the number of concurrent failing attempts that are admitted. */
function letThrough(backoff: LoginBackoff, attempts: readonly (readonly [string, string])[]): number {
  return attempts.filter(([account, source]) => typeof backoff.admit({ account, source }) !== 'number').length;
}

const many = (count: number, attempt: (index: number) => readonly [string, string]) =>
  Array.from({ length: count }, (_, index) => attempt(index));

describe('createLoginBackoff', () => {
  it('counts malformed requests as failures of their source', () => {
    const clock = new ManualClock();
    const backoff = createLoginBackoff(clock);
    for (let index = 0; index < 51; index++) expect(backoff.countMalformed('192.0.2.1')).toBe(0);
    expect(backoff.countMalformed('192.0.2.1')).toBe(1000);
    expect(backoff.admit({ account: 'anna', source: '192.0.2.1' })).toBe(1000);
    expect(backoff.countMalformed('192.0.2.2')).toBe(0);
    clock.advance(1000);
    admitted(backoff, 'anna', '192.0.2.1');
  });

  it('five guesses at one account from one source are admitted, then the wait grows', () => {
    const clock = new ManualClock();
    const backoff = createLoginBackoff(clock);
    expect(
      letThrough(
        backoff,
        many(5, () => ['anna', '192.0.2.1']),
      ),
    ).toBe(5);
    const waits: number[] = [];
    for (let round = 0; round < 12; round++) {
      const wait = backoff.admit({ account: 'anna', source: '192.0.2.1' });
      if (typeof wait === 'number') {
        waits.push(wait);
        clock.advance(wait - 1);
        expect(backoff.admit({ account: 'anna', source: '192.0.2.1' })).toBe(1);
        clock.advance(1);
        admitted(backoff, 'anna', '192.0.2.1');
      }
    }
    expect(waits.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(waits.at(-1)).toBe(5 * 60_000);
  });

  it('attempts in progress count, so that concurrency does not bypass the limit', () => {
    const backoff = createLoginBackoff(new ManualClock());
    expect(
      letThrough(
        backoff,
        many(1000, () => ['anna', '192.0.2.1']),
      ),
    ).toBe(6);
  });

  it('a success, or half an hour without attempts, resets the backoff', () => {
    const clock = new ManualClock();
    const backoff = createLoginBackoff(clock);
    letThrough(
      backoff,
      many(4, () => ['anna', '192.0.2.1']),
    );
    admitted(backoff, 'anna', '192.0.2.1').succeed();
    expect(
      letThrough(
        backoff,
        many(10, () => ['anna', '192.0.2.1']),
      ),
    ).toBe(6);
    clock.advance(31 * 60_000);
    expect(
      letThrough(
        backoff,
        many(10, () => ['anna', '192.0.2.1']),
      ),
    ).toBe(6);
  });

  it('an abandoned attempt is reverted, whatever else was counted meanwhile', () => {
    const backoff = createLoginBackoff(new ManualClock());
    for (let index = 0; index < 100; index++) admitted(backoff, 'anna', '192.0.2.1').abandon();
    const early = admitted(backoff, 'anna', '192.0.2.1');
    letThrough(
      backoff,
      many(5, () => ['anna', '192.0.2.1']),
    );
    expect(typeof backoff.admit({ account: 'anna', source: '192.0.2.1' })).toBe('number');
    early.abandon();
    expect(typeof backoff.admit({ account: 'anna', source: '192.0.2.1' })).toBe('number');
  });

  it('guesses at one account from many sources wait for seconds, known sources do not wait', () => {
    const clock = new ManualClock();
    const backoff = createLoginBackoff(clock);
    admitted(backoff, 'anna', '198.51.100.7').succeed();
    const everywhere = many(2000, (index) => ['anna', `192.0.${index >> 8}.${index & 255}`] as const);
    expect(letThrough(backoff, everywhere)).toBeLessThanOrEqual(102);
    const wait = backoff.admit({ account: 'anna', source: '203.0.113.9' });
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(5000);
    admitted(backoff, 'anna', '198.51.100.7').succeed();
    admitted(backoff, 'bob', '203.0.113.9');
  });

  it('guesses at many accounts from one source wait, but accounts that logged in from it before do not', () => {
    const backoff = createLoginBackoff(new ManualClock());
    admitted(backoff, 'anna', '192.0.2.1').succeed();
    expect(
      letThrough(
        backoff,
        many(500, (index) => [`user-${index}`, '192.0.2.1']),
      ),
    ).toBeLessThanOrEqual(51);
    expect(backoff.admit({ account: 'bob', source: '192.0.2.1' })).toBeLessThanOrEqual(30_000);
    admitted(backoff, 'anna', '192.0.2.1').succeed();
    admitted(backoff, 'bob', '192.0.2.2');
  });

  it('an attacker’s own successful logins do not reset the backoff of other accounts', () => {
    const clock = new ManualClock();
    const backoff = createLoginBackoff(clock);
    let guesses = 0;
    for (let index = 0; index < 500; index++) {
      if (typeof backoff.admit({ account: `user-${index}`, source: '192.0.2.1' }) !== 'number') guesses += 1;
      const own = backoff.admit({ account: 'mallory', source: '192.0.2.1' });
      if (typeof own !== 'number') own.succeed();
    }
    expect(guesses).toBeLessThanOrEqual(51);
  });

  it('the wait does not depend on the wall clock', () => {
    const clock = new ManualClock();
    const backoff = createLoginBackoff(clock);
    letThrough(
      backoff,
      many(6, () => ['anna', '192.0.2.1']),
    );
    clock.setWall(-3_600_000);
    expect(backoff.admit({ account: 'anna', source: '192.0.2.1' })).toBe(1000);
    clock.setWall(7_200_000);
    expect(backoff.admit({ account: 'anna', source: '192.0.2.1' })).toBe(1000);
  });

  it('the least recently used entry is evicted when a table is full', () => {
    const clock = new ManualClock();
    const backoff = createLoginBackoff(clock, 10);
    letThrough(
      backoff,
      many(6, () => ['anna', '192.0.2.1']),
    );
    expect(typeof backoff.admit({ account: 'anna', source: '192.0.2.1' })).toBe('number');
    letThrough(
      backoff,
      many(20, (index) => [`user-${index}`, `192.0.3.${index}`]),
    );
    admitted(backoff, 'anna', '192.0.2.1');
  });

  it('every name and source is treated alike, whatever characters it contains', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (account, source, other) => {
        fc.pre(account !== other);
        const backoff = createLoginBackoff(new ManualClock());
        expect(
          letThrough(
            backoff,
            many(10, () => [account, source]),
          ),
        ).toBe(6);
        admitted(backoff, other, source);
      }),
    );
  });
});

describe('sourceOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8::192.0.2.1', '2001:db8:0:0::/64'],
    ['', ''],
  ])('maps %s to %s', (address, source) => {
    expect(sourceNetworkOf(address)).toBe(source);
  });
});
