import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sleepForcedReason, sleepUnusedReason } from '../../api/management/sleep-reasons.ts';
import {
  deleteAfterAnnotation,
  lastActivityAnnotation,
  sleepAfterAnnotation,
  sleepForceAnnotation,
} from '../../api/naming.ts';
import { snapshotOf } from './instance-snapshot.ts';
import { type SleepMode, sleepModeOf } from './sleep-mode.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number) => now - seconds * 1000;
const instance = (annotations: Record<string, string>, status: Record<string, string> = {}) =>
  snapshotOf({ apiVersion: '', kind: '', metadata: { name: 'a', namespace: 'b', uid: 'c', annotations }, status });
const noted = (seconds: number) => ({ lastActivity: new Date(ago(seconds)).toISOString() });

describe('an instance', () => {
  it('sleeps when forced to, even if it is used', () => {
    expect(sleepModeOf(instance({ [sleepForceAnnotation]: 'true' }), now, now).sleepReason).toBe(sleepForcedReason);
    expect(sleepModeOf(instance({ [sleepForceAnnotation]: 'false' }), now, now).sleepReason).toBeUndefined();
  });

  it('sleeps when it was unused for the period, and wakes on the next use', () => {
    const facts = instance({ [sleepAfterAnnotation]: '60' }, noted(61));
    expect(sleepModeOf(facts, undefined, now).sleepReason).toBe(sleepUnusedReason);
    expect(sleepModeOf(facts, ago(1), now)).toMatchObject({
      sleepReason: undefined,
      isSleepNear: false,
      requeueAfterMilliseconds: 29_000,
    } satisfies Partial<SleepMode>);
  });

  it('is checked before people are notified about its sleep, and again when it sleeps', () => {
    const mode = (idle: number, annotations = {}) =>
      sleepModeOf(instance({ [sleepAfterAnnotation]: '86400', ...annotations }, noted(idle)), undefined, now);
    expect(mode(86_400 - 7_200)).toMatchObject({ isSleepNear: true, requeueAfterMilliseconds: 3_600_000 });
    expect(mode(86_400 - 7_201)).toMatchObject({ isSleepNear: false, requeueAfterMilliseconds: 1_000 });
    expect(mode(86_400)).toMatchObject({ isSleepNear: false });
    expect(mode(86_000, { [sleepForceAnnotation]: 'true' })).toMatchObject({ isSleepNear: false });
  });

  it('starts the period now if no use is known', () => {
    const mode = sleepModeOf(instance({ [sleepAfterAnnotation]: '60', [deleteAfterAnnotation]: '5' }), undefined, now);
    expect(mode).toMatchObject({
      sleepReason: undefined,
      isExpired: false,
      lastActivity: now,
      requeueAfterMilliseconds: 5_000,
    } satisfies Partial<SleepMode>);
  });

  it('counts the end of a forced sleep as a use', () => {
    const slept = { phase: 'Sleeping', reason: sleepForcedReason, ...noted(1000) };
    expect(sleepModeOf(instance({ [sleepAfterAnnotation]: '60' }, slept), undefined, now).sleepReason).toBeUndefined();
  });

  it('wakes when a client reports a use, but not a use in the future', () => {
    const mode = (reported: string) =>
      sleepModeOf(
        instance({ [sleepAfterAnnotation]: '60', [lastActivityAnnotation]: reported }, noted(1000)),
        undefined,
        now,
      );
    expect(mode(String(ago(1) / 1000))).toMatchObject({ sleepReason: undefined, lastActivity: ago(1) });
    expect(mode(String(ago(-30) / 1000))).toMatchObject({ sleepReason: undefined, lastActivity: now });
    for (const reported of ['', 'now', '-5', String(ago(61) / 1000), String(ago(-3600) / 1000)])
      expect(mode(reported).sleepReason, reported).toBe(sleepUnusedReason);
  });

  it('ignores invalid annotation values', () => {
    for (const text of ['soon', '0', '-1', '1.5', '1e3', '99999999999']) {
      const mode = sleepModeOf(instance({ [deleteAfterAnnotation]: text }, noted(10 ** 6)), undefined, now);
      expect(mode).toMatchObject({
        isExpired: false,
        dependsOnUse: false,
        requeueAfterMilliseconds: undefined,
      } satisfies Partial<SleepMode>);
    }
  });

  it('has a last use even without auto-sleep, once it is used', () => {
    const mode = (used: number | undefined, status = {}) => sleepModeOf(instance({}, status), used, now);
    expect(mode(undefined)).toMatchObject({
      lastActivity: undefined,
      dependsOnUse: false,
    } satisfies Partial<SleepMode>);
    expect(mode(ago(5)).lastActivity).toBe(ago(5));
    expect(mode(undefined, noted(50)).lastActivity).toBe(ago(50));
    expect(mode(ago(5), noted(50)).lastActivity).toBe(ago(5));
    expect(mode(undefined, noted(-50)).lastActivity).toBe(now);
  });

  it('never sleeps early, and always schedules the next check in time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 10_000 }), (after, idle) => {
        const facts = instance({ [sleepAfterAnnotation]: String(after) }, noted(idle));
        const { sleepReason, requeueAfterMilliseconds = 0 } = sleepModeOf(facts, undefined, now);
        expect(sleepReason !== undefined).toBe(idle >= after);
        if (sleepReason === undefined) expect(requeueAfterMilliseconds).toBeLessThanOrEqual((after - idle) * 1000);
      }),
    );
  });
});
