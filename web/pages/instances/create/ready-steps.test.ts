import { expect, test } from 'vitest';
import { spaceType, virtualClusterType } from '../../../data/instance-types.ts';
import { elapsedText, stepsToReady } from './ready-steps.ts';

const { conditionTypes } = virtualClusterType;
const created = '2026-11-15T10:00:00Z';

test('without conditions the first step is in progress', () => {
  expect(stepsToReady(conditionTypes, [], created).map(({ state }) => state)).toEqual([
    'doing',
    ...Array(5).fill('waiting'),
  ]);
  expect(stepsToReady(spaceType.conditionTypes, [], created)).toHaveLength(4);
});

test('a completed step has its time, a blocked step its message', () => {
  const steps = stepsToReady(
    conditionTypes,
    [
      { type: 'Scheduled', status: 'True', lastTransitionTime: created },
      { type: 'TemplateResolved', status: 'True', lastTransitionTime: '2026-11-15T10:00:02Z' },
      { type: 'SpaceReady', status: 'False', message: 'the namespace is not ours' },
      { type: 'Ready', status: 'False', message: 'the sum' },
    ],
    created,
  );
  expect(steps.slice(0, 4)).toEqual([
    { type: 'Scheduled', state: 'done', message: '', after: 0 },
    { type: 'TemplateResolved', state: 'done', message: '', after: 2000 },
    { type: 'SpaceReady', state: 'held', message: 'the namespace is not ours', after: undefined },
    { type: 'VirtualClusterDeployed', state: 'waiting', message: '', after: undefined },
  ]);
  expect(steps).toHaveLength(conditionTypes.length);
});

test('a duration is formatted as text', () => {
  expect([0, 400, 3_000, 60_000, 125_000].map(elapsedText)).toEqual([
    'immediately',
    'immediately',
    'after 3 s',
    'after 1 min',
    'after 2 min 5 s',
  ]);
});
