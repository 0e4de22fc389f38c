import { describe, expect, it } from 'vitest';
import type { VirtualClusterInstanceStatus } from '../../../../src/api/management/v1/virtual-cluster-instance.ts';
import {
  deleteAfterAnnotation,
  projectNamespace,
  sleepAfterAnnotation,
  sleepForceAnnotation,
} from '../../../../src/api/naming.ts';
import { virtualClusterType } from '../../../data/instance-types.ts';
import { durationText, instanceState } from './instance-state.ts';

function stateOf(status: VirtualClusterInstanceStatus, metadata: object = {}) {
  const named = { name: 'demo', namespace: projectNamespace('shop'), ...metadata };
  return instanceState(virtualClusterType, { apiVersion: 'v1', kind: 'X', metadata: named, status });
}

describe('the state of an instance', () => {
  it('contains its project, and Terminating during a deletion whatever its phase', () => {
    expect(stateOf({ phase: 'Ready' })).toMatchObject({ project: 'shop', phase: 'Ready', sleep: undefined });
    expect(stateOf({ phase: 'Ready' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }).phase).toBe('Terminating');
    expect(stateOf({}).phase).toBe('');
  });

  it('shows a quarantine, in which the API is not usable', () => {
    const quarantined: VirtualClusterInstanceStatus = { phase: 'Failed', reason: 'Quarantined' };
    expect(stateOf(quarantined)).toMatchObject({ phase: 'Quarantined', isUsable: false });
  });

  it('shows whether the API is usable, also after a later failure', () => {
    const apiReady: VirtualClusterInstanceStatus = { conditions: [{ type: 'VirtualClusterReady', status: 'True' }] };
    expect(stateOf({ phase: 'Ready' }).isUsable).toBe(true);
    expect(stateOf({ phase: 'Failed', ...apiReady }).isUsable).toBe(true);
    expect(stateOf({ phase: 'Failed' }).isUsable).toBe(false);
    expect(stateOf({ phase: 'Sleeping', ...apiReady }).isUsable).toBe(false);
    expect(stateOf({ phase: 'Ready' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }).isUsable).toBe(false);
  });

  it('shows how it can be woken', () => {
    const forced = { annotations: { [sleepForceAnnotation]: 'true' } };
    expect(stateOf({ phase: 'Sleeping', reason: 'NotUsed' }).sleep).toBe('use');
    expect(stateOf({ phase: 'Sleeping', reason: 'NotUsed' }, forced).sleep).toBe('order');
    expect(stateOf({ phase: 'Sleeping', reason: 'SleepForced' }).sleep).toBe('order');
    expect(stateOf({ phase: 'Sleeping', reason: 'AsleepOnHost' }).sleep).toBe('elsewhere');
    expect(stateOf({ phase: 'Ready' }, forced).sleep).toBeUndefined();
  });

  it('contains valid idle timeouts only', () => {
    const annotations = { [sleepAfterAnnotation]: '3600', [deleteAfterAnnotation]: 'soon' };
    expect(stateOf({}, { annotations })).toMatchObject({ sleepAfter: 3600, deleteAfter: undefined });
  });
});

it('durations are formatted in the largest exact unit', () => {
  const formatted = [1, 59, 60, 90, 5400, 7200, 86_400, 172_800].map(durationText);
  expect(formatted).toEqual([
    '1 second',
    '59 seconds',
    '1 minute',
    '90 seconds',
    '90 minutes',
    '2 hours',
    '1 day',
    '2 days',
  ]);
});
