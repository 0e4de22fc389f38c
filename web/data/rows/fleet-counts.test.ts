import { describe, expect, it } from 'vitest';
import { loadedCount } from './fleet-counts.ts';
import type { RowsSnapshot } from './live-rows.ts';
import type { Row } from './table-rows.ts';

const row: Row = {
  key: 'default/shop',
  cells: ['shop'],
  metadata: { name: 'shop' },
  object: { apiVersion: '', kind: '', metadata: {} },
};
const columns = [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }];

describe('the row count', () => {
  const noRows: RowsSnapshot = { state: 'loading', columns: [], rows: [], expected: undefined, error: undefined };
  const counted = (change: Partial<RowsSnapshot>) => loadedCount({ ...noRows, ...change });

  it('is unknown until all rows are loaded', () => {
    expect(counted({})).toBeUndefined();
    expect(counted({ columns, rows: [row], expected: 2 })).toBeUndefined();
  });

  it('is known after loading, even if it is zero', () => {
    expect(counted({ state: 'live', columns })).toBe(0);
    expect(counted({ state: 'live', columns, rows: [row] })).toBe(1);
  });

  it('is kept while the server cannot be reached, unless nothing was loaded', () => {
    expect(counted({ state: 'interrupted', columns, rows: [row] })).toBe(1);
    expect(counted({ state: 'interrupted' })).toBeUndefined();
  });

  it('is unknown without permission to list', () => {
    expect(counted({ state: 'refused', columns })).toBeUndefined();
  });
});
