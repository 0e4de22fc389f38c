import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from './meta.ts';
import type { Column } from './resource.ts';
import { formatAge, tableColumns, tableRow } from './table.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'K',
  metadata: { name: 'a', creationTimestamp: '2025-12-31T23:00:00Z' },
};
const showing = (type: Column['type'], value: JsonValue | undefined): Column => ({
  name: 'X',
  type,
  value: () => value,
});

describe('tables', () => {
  it('start with the name and end with the age if a kind has no columns (TABLE-03, TABLE-04)', () => {
    const columns = tableColumns({});
    expect(columns.map(({ name, type, format, priority }) => [name, type, format, priority])).toEqual([
      ['Name', 'string', 'name', 0],
      ['Age', 'date', '', 0],
    ]);
    for (const column of columns) {
      expect(Object.keys(column).sort()).toEqual(['description', 'format', 'name', 'priority', 'type']);
    }
    expect(tableRow({}, object, now)).toEqual(['a', '60m']);
  });

  it('keep the types of cells, with null for missing values (TABLE-06)', () => {
    const columns: Column[] = [
      showing('string', 'text'),
      showing('string', { b: 1, a: [true] }),
      showing('integer', 5),
      showing('integer', 'five'),
      showing('number', 1.5),
      showing('boolean', true),
      showing('date', 5),
      showing('string', undefined),
    ];
    expect(tableRow({ columns }, object, now)).toEqual([
      'a',
      'text',
      '{"a":[true],"b":1}',
      5,
      null,
      1.5,
      true,
      null,
      null,
    ]);
    expect(tableColumns({ columns })).toHaveLength(9);
  });

  it('have zero values instead of null for built-in kinds (TABLE-06)', () => {
    const types = ['string', 'date', 'boolean', 'integer', 'number'] as const;
    const columns = types.map((type) => showing(type, undefined));
    expect(tableRow({ columns, builtIn: true }, object, now)).toEqual(['a', '', '<unknown>', false, 0, 0]);
  });

  const minute = 60;
  const hour = 60 * minute;
  const day = 24 * hour;
  it.each([
    [-2, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [125, '2m5s'],
    [10 * minute - 1, '9m59s'],
    [10 * minute + 5, '10m'],
    [3 * hour - 1, '179m'],
    [3 * hour, '3h'],
    [7 * hour + 5 * minute, '7h5m'],
    [8 * hour + 5 * minute, '8h'],
    [2 * day - 1, '47h'],
    [2 * day, '2d'],
    [7 * day + 3 * hour, '7d3h'],
    [8 * day + 3 * hour, '8d'],
    [729 * day, '729d'],
    [730 * day, '2y'],
    [735 * day, '2y5d'],
    [9 * 365 * day + day, '9y'],
  ])('print %d seconds as %s (TABLE-05)', (seconds, text) => {
    expect(formatAge(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
  });

  it('print missing and invalid times (TABLE-05)', () => {
    expect(formatAge('', now)).toBe('<unknown>');
    expect(formatAge('soon', now)).toBe('<invalid>');
  });
});
