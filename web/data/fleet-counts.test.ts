import { describe, expect, it } from 'vitest';
import { knownCount } from './fleet-counts.ts';
import type { RowsSnapshot } from './live-rows.ts';
import type { Row } from './table-rows.ts';

const row: Row = {
  key: 'default/shop',
  cells: ['shop'],
  metadata: { name: 'shop' },
  object: { apiVersion: '', kind: '', metadata: {} },
};
const columns = [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }];

describe('how many rows there are', () => {
  const noRows: RowsSnapshot = { state: 'loading', columns: [], rows: [], expected: undefined, error: undefined };
  const counted = (change: Partial<RowsSnapshot>) => knownCount({ ...noRows, ...change });

  it('is not known before all of them have come', () => {
    expect(counted({})).toBeUndefined();
    expect(counted({ columns, rows: [row], expected: 2 })).toBeUndefined();
  });

  it('is known then, also where there is none', () => {
    expect(counted({ state: 'live', columns })).toBe(0);
    expect(counted({ state: 'live', columns, rows: [row] })).toBe(1);
  });

  it('stays while the server cannot be reached, unless nothing had come', () => {
    expect(counted({ state: 'interrupted', columns, rows: [row] })).toBe(1);
    expect(counted({ state: 'interrupted' })).toBeUndefined();
  });

  it('is not known to whoever may not see them', () => {
    expect(counted({ state: 'refused', columns })).toBeUndefined();
  });
});
