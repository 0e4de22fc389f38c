import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asleepByForce, asleepByRest } from '../../api/management/sleep-reasons.ts';
import { deleteAfterAnnotation, sleepAfterAnnotation, sleepForceAnnotation } from '../../api/naming.ts';
import { factsOf } from './instance-facts.ts';
import { sleepModeOf } from './sleep-mode.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number) => now - seconds * 1000;
const instance = (annotations: Record<string, string>, status: Record<string, string> = {}) =>
  factsOf({ apiVersion: '', kind: '', metadata: { name: 'a', namespace: 'b', uid: 'c', annotations }, status });
const noted = (seconds: number) => ({ lastActivity: new Date(ago(seconds)).toISOString() });

describe('an instance', () => {
  it('sleeps when it is forced to, whoever uses it', () => {
    expect(sleepModeOf(instance({ [sleepForceAnnotation]: 'true' }), now, now).asleep).toBe(asleepByForce);
    expect(sleepModeOf(instance({ [sleepForceAnnotation]: 'false' }), now, now).asleep).toBeUndefined();
  });

  it('sleeps when it was not used for so long, and wakes with the next use', () => {
    const facts = instance({ [sleepAfterAnnotation]: '60' }, noted(61));
    expect(sleepModeOf(facts, undefined, now).asleep).toBe(asleepByRest);
    expect(sleepModeOf(facts, ago(1), now)).toMatchObject({ asleep: undefined, againAfterMilliseconds: 59_000 });
  });

  it('counts from now on where no use is known: what was not seen is not what did not happen', () => {
    const mode = sleepModeOf(instance({ [sleepAfterAnnotation]: '60', [deleteAfterAnnotation]: '5' }), undefined, now);
    expect(mode).toMatchObject({ asleep: undefined, deleted: false, lastActivity: now, againAfterMilliseconds: 5_000 });
  });

  it('is awake after a forced sleep, as if it had been used', () => {
    const slept = { phase: 'Sleeping', reason: asleepByForce, ...noted(1000) };
    expect(sleepModeOf(instance({ [sleepAfterAnnotation]: '60' }, slept), undefined, now).asleep).toBeUndefined();
  });

  it('does not act on what cannot be understood', () => {
    for (const text of ['soon', '0', '-1', '1.5', '1e3', '99999999999']) {
      const mode = sleepModeOf(instance({ [deleteAfterAnnotation]: text }, noted(10 ** 6)), undefined, now);
      expect(mode).toMatchObject({ deleted: false, dependsOnUse: false, againAfterMilliseconds: undefined });
    }
  });

  it('has a last use where nothing depends on it too, once it is used', () => {
    const mode = (used: number | undefined, status = {}) => sleepModeOf(instance({}, status), used, now);
    expect(mode(undefined)).toMatchObject({ lastActivity: undefined, dependsOnUse: false });
    expect(mode(ago(5)).lastActivity).toBe(ago(5));
    expect(mode(undefined, noted(50)).lastActivity).toBe(ago(50));
    expect(mode(ago(5), noted(50)).lastActivity).toBe(ago(5));
    expect(mode(undefined, noted(-50)).lastActivity).toBe(now);
  });

  it('never acts early, and always looks again in time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 10_000 }), (after, idle) => {
        const facts = instance({ [sleepAfterAnnotation]: String(after) }, noted(idle));
        const { asleep, againAfterMilliseconds = 0 } = sleepModeOf(facts, undefined, now);
        expect(asleep !== undefined).toBe(idle >= after);
        if (asleep === undefined) expect(againAfterMilliseconds).toBeLessThanOrEqual((after - idle) * 1000);
      }),
    );
  });
});
