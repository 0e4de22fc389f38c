import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adminsGroup, teamGroup, userGroup } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import { ManualClock } from '../lib/clock.ts';
import { type Affected, createRightsSignals } from './rights-signals.ts';

const anna: UserInfo = { name: 'anna@example.org', groups: [userGroup('anna'), teamGroup('red')] };
const bob: UserInfo = { name: 'bob', groups: [userGroup('bob')] };
const admin: UserInfo = { name: 'root', groups: [userGroup('root'), adminsGroup] };
const robot: UserInfo = { name: 'robot', groups: [] };
const team: UserInfo = { name: teamGroup('red'), groups: [teamGroup('red')] };

function affected(users: string[], teams: string[] = []): Affected {
  return { users: new Set(users), teams: new Set(teams) };
}

function setUp() {
  const clock = new ManualClock();
  return { clock, signals: createRightsSignals(clock) };
}

describe('createRightsSignals', () => {
  it.each<[string, Affected, string[]]>([
    ['a user', affected(['bob']), ['bob']],
    ['a user with a subject, given the user name', affected(['anna']), ['anna']],
    ['nobody, given the subject of a user', affected(['anna@example.org']), []],
    ['a team, its members and its keys', affected([], ['red']), ['anna', 'team']],
    ['a bare subject, given its name', affected(['robot']), ['robot']],
    ['everybody except admins', 'everybody', ['anna', 'bob', 'robot', 'team']],
    ['nobody, given the name of an admin', affected(['root']), []],
    ['nobody, given no principals', undefined, []],
  ])('a change ends the streams of %s', (_, change, expected) => {
    const { clock, signals } = setUp();
    const open = { anna, bob, admin, robot, team };
    const each = Object.entries(open).map(([name, user]) => [name, signals.of(user, `${name}-key`)] as const);
    signals.changed(change);
    clock.advance(5000);
    expect(each.filter(([, signal]) => signal.aborted).map(([name]) => name)).toEqual(expected);
  });

  it('the signal’s reason is 410 Expired', () => {
    const { clock, signals } = setUp();
    const signal = signals.of(bob);
    signals.changed('everybody');
    clock.advance(5000);
    expect(signal.reason).toBeInstanceOf(StatusError);
    expect(signal.reason).toMatchObject({ status: { code: 410, reason: 'Expired' } });
    expect(signals.fired().reason).toMatchObject({ status: { code: 410, reason: 'Expired' } });
  });

  it('a key change ends the streams of that key, also an admin’s, and no others of the same user', () => {
    const { clock, signals } = setUp();
    const [one, other, acted] = [signals.of(admin, 'one'), signals.of(admin, 'other'), signals.of(bob, 'one')];
    signals.keyChanged('one');
    clock.advance(5000);
    expect([one.aborted, other.aborted, acted.aborted]).toEqual([true, false, true]);
  });

  it('signals fire once for many changes, and never for an earlier change', () => {
    const { clock, signals } = setUp();
    const early = signals.of(bob, 'k');
    for (let change = 0; change < 100; change++) signals.changed(affected(['bob']));
    expect(early.aborted).toBe(false);
    const late = signals.of(bob, 'k');
    clock.advance(1000);
    expect([early.aborted, late.aborted]).toEqual([true, false]);
    clock.advance(60_000);
    expect(late.aborted).toBe(false);
  });

  it('signals fire within five seconds, however fast changes follow each other', () => {
    const change = fc.record({ wait: fc.nat({ max: 3000 }), user: fc.constantFrom('anna', 'bob') });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const { clock, signals } = setUp();
        const open: { signal: AbortSignal; due: number }[] = [];
        for (const { wait, user } of changes) {
          clock.advance(wait);
          const signal = signals.of(user === 'bob' ? bob : anna);
          signals.changed(affected([user]));
          open.push({ signal, due: clock.now() + 5000 });
          for (const each of open) if (each.due <= clock.now()) expect(each.signal.aborted).toBe(true);
        }
        clock.advance(5000);
        expect(open.every(({ signal }) => signal.aborted)).toBe(true);
      }),
    );
  });

  it('all streams of a caller share one signal, and callers without streams are removed', () => {
    const { signals } = setUp();
    const listener = () => {};
    const kept = signals.of(bob);
    kept.addEventListener('abort', listener);
    expect(signals.of(bob)).toBe(kept);
    for (let caller = 0; caller < 5000; caller++) signals.of({ name: `u${caller}`, groups: [] });
    expect(signals.size).toBeLessThanOrEqual(1025);
    expect(signals.of(bob)).toBe(kept);
  });

  it('no signal fires after close', () => {
    const { clock, signals } = setUp();
    const signal = signals.of(bob);
    signals.changed('everybody');
    signals.close();
    clock.advance(5000);
    expect(signal.aborted).toBe(false);
  });
});
