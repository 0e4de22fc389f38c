import { describe, expect, it } from 'vitest';
import { DumpSummary } from './dump-summary.ts';
import { openMemoryStore } from './memory.ts';
import type { DumpRow } from './store.ts';
import { collectAsync, putValue, storeKey } from './suite/suite-store.ts';

async function sampleRows(): Promise<DumpRow[]> {
  const store = openMemoryStore({ identity: 'i' });
  for (const name of ['x', 'y']) await putValue(store, storeKey('a', name), `value of ${name}`);
  await putValue(store, storeKey('b', 'z'), '');
  const rows = await collectAsync(store.dump());
  await store.close();
  return rows;
}

function summaryOf(rows: readonly DumpRow[]): DumpSummary {
  const summary = new DumpSummary();
  for (const row of rows) summary.add(row);
  return summary;
}

describe('the summary of a dump', () => {
  it('counts rows per slice, and passes them on', async () => {
    const rows = await sampleRows();
    async function* source() {
      yield* rows;
    }
    const summary = new DumpSummary();
    expect(await collectAsync(summary.follow(source()))).toEqual(rows);
    expect(summary.entries).toBe(3);
    expect([...summary.slices]).toEqual([
      ['a', { entries: 2, revision: 3 }],
      ['b', { entries: 1, revision: 4 }],
    ]);
  });

  it('finds any difference of a copy, except for greater revisions', async () => {
    const rows = await sampleRows();
    const difference = (change: (row: DumpRow) => DumpRow | undefined) =>
      summaryOf(rows).differenceOf(summaryOf(rows.map(change).filter((row) => row !== undefined)));
    const isRow = (row: DumpRow, name: string) => row.row === 'entry' && row.key.segments[0] === name;
    expect(difference((row) => row)).toBeUndefined();
    expect(difference((row) => ({ ...row, revision: row.revision + 5 }))).toBeUndefined();
    expect(difference((row) => ({ ...row, revision: row.revision - 1 }))).toMatch(/is at revision 2, below 3/);
    expect(difference((row) => (isRow(row, 'y') ? undefined : row))).toBe('slice "a" has 1 rows instead of 2');
    expect(difference((row) => (isRow(row, 'z') ? undefined : row))).toBe('slice "b" has 0 rows instead of 1');
    expect(difference((row) => (isRow(row, 'x') ? { ...row, value: 'other' } : row))).toMatch(/values .* differ/);
    const moved = storeKey('a', 'w');
    expect(difference((row) => (isRow(row, 'x') ? { ...row, key: moved } : row))).toMatch(/values .* differ/);
  });
});
