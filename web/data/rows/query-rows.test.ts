import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/meta.ts';
import { serverColumns } from './list-columns.ts';
import { columnFacets, queryRows } from './query-rows.ts';
import type { Row } from './table-rows.ts';

const columns = serverColumns([
  { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
  { name: 'Status', type: 'string', format: '', description: '', priority: 0 },
  { name: 'Age', type: 'date', format: '', description: '', priority: 0 },
]);

function row(name: string, status: string, created: string): Row {
  const metadata = { name, creationTimestamp: created };
  const object = { apiVersion: 'v1', kind: 'Thing', metadata } as KubeObject;
  return { key: `/${name}`, metadata, cells: [name, status, '5m'], object };
}

const rows = [
  row('web-10', 'Ready', '2026-01-03T00:00:00Z'),
  row('web-2', 'Failed', '2026-01-01T00:00:00Z'),
  row('shop', 'Ready', '2026-01-02T00:00:00Z'),
];
const names = (selected: readonly Row[]) => selected.map(({ metadata }) => metadata.name);

describe('filtered rows', () => {
  it('are the same list in server order without filters', () => {
    expect(queryRows(rows, columns, {})).toBe(rows);
  });

  it('contain every search term, in any case and order', () => {
    expect(names(queryRows(rows, columns, { search: 'READY web' }))).toEqual(['web-10']);
    expect(names(queryRows(rows, columns, { search: 'ready failed' }))).toEqual([]);
  });

  it('match a filter exactly', () => {
    expect(names(queryRows(rows, columns, { filter: { Status: 'Ready' } }))).toEqual(['web-10', 'shop']);
    expect(names(queryRows(rows, columns, { filter: { Status: 'Read' } }))).toEqual([]);
  });

  it('sort names with natural number order, ages by time, and descending with a minus', () => {
    expect(names(queryRows(rows, columns, { sort: 'Name' }))).toEqual(['shop', 'web-2', 'web-10']);
    expect(names(queryRows(rows, columns, { sort: 'Age' }))).toEqual(['web-10', 'shop', 'web-2']);
    expect(names(queryRows(rows, columns, { sort: '-Age' }))).toEqual(['web-2', 'shop', 'web-10']);
    expect(names(queryRows(rows, columns, { sort: '-Status' }))).toEqual(['shop', 'web-10', 'web-2']);
  });

  it('are counted by column value', () => {
    const [, status] = columns;
    if (status === undefined) throw new Error('no column');
    expect(columnFacets(rows, status)).toEqual([
      { text: 'Ready', count: 2 },
      { text: 'Failed', count: 1 },
    ]);
  });
});
