import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/meta.ts';
import {
  deleteAfterAnnotation,
  projectNamespace,
  sleepAfterAnnotation,
  sleepForceAnnotation,
} from '../../../../src/api/naming.ts';
import { durationWords, instanceFacts } from './instance-facts.ts';

function factsOf(status: object, metadata: object = {}) {
  const named = { name: 'demo', namespace: projectNamespace('shop'), ...metadata };
  return instanceFacts({ apiVersion: 'v1', kind: 'X', metadata: named, status } as unknown as KubeObject);
}

describe('what a page reads of a virtual cluster', () => {
  it('is its project, and that it goes, whatever its phase', () => {
    expect(factsOf({ phase: 'Ready' })).toMatchObject({ project: 'shop', phase: 'Ready', sleep: undefined });
    expect(factsOf({ phase: 'Ready' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }).phase).toBe('Terminating');
    expect(factsOf({}).phase).toBe('');
  });

  it('is whether somebody gets in, also to mend what failed', () => {
    const answers = { conditions: [{ type: 'VirtualClusterReady', status: 'True' }] };
    expect(factsOf({ phase: 'Ready' }).isOpen).toBe(true);
    expect(factsOf({ phase: 'Failed', ...answers }).isOpen).toBe(true);
    expect(factsOf({ phase: 'Failed' }).isOpen).toBe(false);
    expect(factsOf({ phase: 'Sleeping', ...answers }).isOpen).toBe(false);
    expect(factsOf({ phase: 'Ready' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }).isOpen).toBe(false);
  });

  it('is who wakes it', () => {
    const forced = { annotations: { [sleepForceAnnotation]: 'true' } };
    expect(factsOf({ phase: 'Sleeping', reason: 'NotUsed' }).sleep).toBe('use');
    expect(factsOf({ phase: 'Sleeping', reason: 'NotUsed' }, forced).sleep).toBe('order');
    expect(factsOf({ phase: 'Sleeping', reason: 'SleepForced' }).sleep).toBe('order');
    expect(factsOf({ phase: 'Sleeping', reason: 'AsleepOnHost' }).sleep).toBe('elsewhere');
    expect(factsOf({ phase: 'Ready' }, forced).sleep).toBeUndefined();
  });

  it('is what happens when nobody uses it, where that can be understood', () => {
    const annotations = { [sleepAfterAnnotation]: '3600', [deleteAfterAnnotation]: 'soon' };
    expect(factsOf({}, { annotations })).toMatchObject({ sleepAfter: 3600, deleteAfter: undefined });
  });
});

it('says times in the largest unit that is exact', () => {
  const told = [1, 59, 60, 90, 5400, 7200, 86_400, 172_800].map(durationWords);
  expect(told).toEqual([
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
