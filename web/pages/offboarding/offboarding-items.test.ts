import { expect, it } from 'vitest';
import { countActions } from './offboarding-items.ts';

it('the items of an offboarding are counted by action, those that change something first', () => {
  const items = (['Keep', 'Delete', 'Disable', 'Delete'] as const).map((action) => ({ kind: 'X', name: 'x', action }));
  expect(countActions(items)).toEqual([
    { action: 'Disable', count: 1 },
    { action: 'Delete', count: 2 },
    { action: 'Keep', count: 1 },
  ]);
  expect(countActions([])).toEqual([]);
});
