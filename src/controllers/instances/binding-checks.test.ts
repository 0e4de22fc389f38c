import { expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { RoleBindingChecks } from './binding-checks.ts';

it('a check of bindings is due on the first use, then once a minute, and never without use', () => {
  const clock = new ManualClock();
  const checks = new RoleBindingChecks(clock);
  let use: (uid: string) => void = () => {};
  const due: string[] = [];
  const activity = {
    lastActivity: () => undefined,
    onActivity(listener: (uid: string) => void) {
      use = listener;
      return () => {};
    },
  };
  checks.follow(activity, (uid) => uid !== 'unknown' && due.push(uid) > 0);
  expect(checks.isDue('a')).toBe(false);
  use('a');
  use('a');
  expect([due, checks.isDue('a'), checks.isDue('b')]).toEqual([['a'], true, false]);
  checks.markChecked('a');
  clock.advance(59_999);
  use('a');
  expect([due, checks.isDue('a')]).toEqual([['a'], false]);
  clock.advance(1);
  expect(checks.isDue('a')).toBe(false);
  use('a');
  expect([due, checks.isDue('a')]).toEqual([['a', 'a'], true]);
  use('unknown');
  expect(checks.isDue('unknown')).toBe(false);
  checks.forget('a');
  expect(checks.isDue('a')).toBe(false);
});
