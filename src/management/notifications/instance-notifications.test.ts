import { describe, expect, it } from 'vitest';
import type { SpaceInstance } from '../../api/management/v1/space-instance.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import {
  deleteAfterAnnotation,
  managementGroup,
  nonDeletableAnnotation,
  projectNamespace,
  sleepAfterAnnotation,
} from '../../api/naming.ts';
import { instanceNotifications } from './instance-notifications.ts';

const lastActivity = '2026-01-01T00:00:00Z';
const minutes = (count: number) => Date.parse(lastActivity) + count * 60_000;
const [hour, day] = [3_600, 24 * 3_600] as const;

function instance(annotations: Record<string, string>, changed: Partial<VirtualClusterInstance> = {}) {
  const found: VirtualClusterInstance = {
    apiVersion: `${managementGroup}/v1`,
    kind: 'VirtualClusterInstance',
    metadata: { namespace: projectNamespace('red'), name: 'demo', uid: 'u1', annotations },
    status: { phase: 'Ready', lastActivity },
    ...changed,
  };
  return found;
}

const messages = (one: VirtualClusterInstance | SpaceInstance, now: number) =>
  instanceNotifications(one, now).map(({ reason, message }) => `${reason}: ${message}`);

describe('the notification about the deletion of an unused instance', () => {
  const deletedAfter = (seconds: number, annotations = {}) =>
    instance({ [deleteAfterAnnotation]: String(seconds), ...annotations });

  it('appears in the last day, or in the last quarter of a short period', () => {
    const inAWeek = deletedAfter(7 * day);
    expect(messages(inAWeek, minutes(6 * 24 * 60 - 1))).toEqual([]);
    expect(messages(inAWeek, minutes(6 * 24 * 60))).toEqual([
      'DeletedSoon: Virtual cluster "demo" in project "red" will be deleted in 24h unless it is used',
    ]);
    expect(messages(inAWeek, minutes(7 * 24 * 60))).toEqual([]);
    expect(messages(deletedAfter(hour), minutes(44))).toEqual([]);
    expect(messages(deletedAfter(hour), minutes(45))).toHaveLength(1);
  });

  it('names a space, and appears also while it sleeps', () => {
    const space: SpaceInstance = {
      ...instance({ [deleteAfterAnnotation]: String(hour) }),
      kind: 'SpaceInstance',
      spec: {},
      status: { phase: 'Sleeping', lastActivity },
    };
    expect(messages(space, minutes(50))).toEqual([
      'DeletedSoon: Space "demo" in project "red" will be deleted in 10m unless it is used',
    ]);
  });

  it('does not appear if the instance is protected from deletion', () => {
    expect(messages(deletedAfter(hour, { [nonDeletableAnnotation]: 'true' }), minutes(50))).toEqual([]);
    expect(messages(deletedAfter(hour, { [nonDeletableAnnotation]: 'false' }), minutes(50))).toHaveLength(1);
  });

  it('does not appear without a known use, or for an instance that is being deleted', () => {
    const one = deletedAfter(hour);
    expect(messages({ ...one, status: { phase: 'Ready' } }, minutes(50))).toEqual([]);
    const leaving = { ...one, metadata: { ...one.metadata, deletionTimestamp: lastActivity } };
    expect(messages(leaving, minutes(50))).toEqual([]);
  });
});

describe('the notification about the sleep of an unused instance', () => {
  const sleepsAfter = (seconds: number, changed: Partial<VirtualClusterInstance> = {}) =>
    instance({ [sleepAfterAnnotation]: String(seconds) }, changed);

  it('appears in the last hour, or in the last quarter of a short period', () => {
    expect(messages(sleepsAfter(day), minutes(23 * 60 - 1))).toEqual([]);
    expect(messages(sleepsAfter(day), minutes(23 * 60))).toEqual([
      'SleepsSoon: Virtual cluster "demo" in project "red" will go to sleep in 60m unless it is used',
    ]);
    expect(messages(sleepsAfter(hour), minutes(44))).toEqual([]);
    expect(messages(sleepsAfter(hour), minutes(45))).toHaveLength(1);
    expect(messages(sleepsAfter(hour), minutes(60))).toEqual([]);
  });

  it('does not appear for an instance that is not awake', () => {
    for (const phase of ['Sleeping', 'Pending'] as const)
      expect(messages(sleepsAfter(hour, { status: { phase, lastActivity } }), minutes(50))).toEqual([]);
  });

  it('does not appear for an instance that the server does not put to sleep', () => {
    expect(messages(sleepsAfter(hour, { spec: { external: true } }), minutes(50))).toEqual([]);
    const withReason = (reason: string) => {
      const conditions = [
        { type: 'SleepKeepsData', status: 'False' as const, reason, message: '', lastTransitionTime: lastActivity },
      ];
      return messages(sleepsAfter(hour, { status: { phase: 'Ready', lastActivity, conditions } }), minutes(50));
    };
    expect(withReason('SleepRefused')).toEqual([]);
    expect(withReason('SleepWouldLoseData')).toEqual([]);
    // The data was lost in an earlier sleep, and this loss was accepted, so auto-sleep applies to this instance.
    expect(withReason('DataLost')).toHaveLength(1);
  });
});
