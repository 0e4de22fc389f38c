import { deepFreeze } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { type Condition, setCondition } from './conditions.ts';

const first = Date.parse('2026-01-01T00:00:00.900Z');
const later = Date.parse('2026-01-02T00:00:00Z');
const ready: Condition = { type: 'Ready', status: 'False', reason: 'Starting', observedGeneration: 1 };

describe('setCondition', () => {
  it('adds a condition with the current time as its transition time', () => {
    expect(setCondition([], ready, first)).toEqual([{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }]);
  });

  it('keeps the transition time while the status is unchanged and updates it when the status changes', () => {
    const list = deepFreeze(setCondition([{ type: 'Other', status: 'True' }], ready, first));
    const told = setCondition(list, { ...ready, reason: 'Pulling', observedGeneration: 2 }, later);
    expect(told[1]).toEqual({
      ...ready,
      reason: 'Pulling',
      observedGeneration: 2,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    expect(setCondition(told, { ...ready, status: 'True' }, later)[1]?.lastTransitionTime).toBe('2026-01-02T00:00:00Z');
    expect(list[1]?.reason).toBe('Starting');
  });

  it('returns the same list if nothing changed', () => {
    const list = setCondition([], ready, first);
    expect(setCondition(list, { ...ready }, later)).toBe(list);
  });
});
