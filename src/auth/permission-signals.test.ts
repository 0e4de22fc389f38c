import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adminsGroup, teamGroup, userGroup } from '../api/naming.ts';
import { StatusError } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import { ManualClock } from '../lib/clock.ts';
import { type AffectedPrincipals, createPermissionSignals } from './permission-signals.ts';

const anna: UserInfo = { name: 'anna@example.org', groups: [userGroup('anna'), teamGroup('red')] };
const bob: UserInfo = { name: 'bob', groups: [userGroup('bob')] };
const admin: UserInfo = { name: 'root', groups: [userGroup('root'), adminsGroup] };
const robot: UserInfo = { name: 'robot', groups: [] };
const team: UserInfo = { name: teamGroup('red'), groups: [teamGroup('red')] };

function affected(users: string[], teams: string[] = []): AffectedPrincipals {
  return { users: new Set(users), teams: new Set(teams) };
}

function setUp() {
  const clock = new ManualClock();
  return { clock, signals: createPermissionSignals(clock) };
}

describe('createRightsSignals', () => {
  it.each<[string, AffectedPrincipals, string[]]>([
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
    const each = Object.entries(open).map(([name, user]) => [name, signals.signalFor(user, `${name}-key`)] as const);
    signals.notifyPrincipals(change);
    clock.advance(5000);
    expect(each.filter(([, signal]) => signal.aborted).map(([name]) => name)).toEqual(expected);
  });

  it('the signal’s reason is 410 Expired', () => {
    const { clock, signals } = setUp();
    const signal = signals.signalFor(bob);
    signals.notifyPrincipals('everybody');
    clock.advance(5000);
    expect(signal.reason).toBeInstanceOf(StatusError);
    expect(signal.reason).toMatchObject({ status: { code: 410, reason: 'Expired' } });
    expect(signals.firedSignal().reason).toMatchObject({ status: { code: 410, reason: 'Expired' } });
  });

  it('a key change ends the streams of that key, also an admin’s, and no others of the same user', () => {
    const { clock, signals } = setUp();
    const [one, other, acted] = [
      signals.signalFor(admin, 'one'),
      signals.signalFor(admin, 'other'),
      signals.signalFor(bob, 'one'),
    ];
    signals.notifyKey('one');
    clock.advance(5000);
    expect([one.aborted, other.aborted, acted.aborted]).toEqual([true, false, true]);
  });

  it('signals fire once for many changes, and never for an earlier change', () => {
    const { clock, signals } = setUp();
    const early = signals.signalFor(bob, 'k');
    for (let change = 0; change < 100; change++) signals.notifyPrincipals(affected(['bob']));
    expect(early.aborted).toBe(false);
    const late = signals.signalFor(bob, 'k');
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
          const signal = signals.signalFor(user === 'bob' ? bob : anna);
          signals.notifyPrincipals(affected([user]));
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
    const kept = signals.signalFor(bob);
    kept.addEventListener('abort', listener);
    expect(signals.signalFor(bob)).toBe(kept);
    for (let caller = 0; caller < 5000; caller++) signals.signalFor({ name: `u${caller}`, groups: [] });
    expect(signals.size).toBeLessThanOrEqual(1025);
    expect(signals.signalFor(bob)).toBe(kept);
  });

  it('no signal fires after close', () => {
    const { clock, signals } = setUp();
    const signal = signals.signalFor(bob);
    signals.notifyPrincipals('everybody');
    signals.close();
    clock.advance(5000);
    expect(signal.aborted).toBe(false);
  });
});
