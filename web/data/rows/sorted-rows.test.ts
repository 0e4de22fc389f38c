import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedRows } from './sorted-rows.ts';
import type { Row } from './table-rows.ts';

function row(name: string, state: number): Row {
  const metadata = { name };
  return { key: `/${name}`, metadata, cells: [state], object: { apiVersion: 'v1', kind: 'Thing', metadata } };
}

const byState = (a: Row, b: Row) => Number(a.cells[0]) - Number(b.cells[0]) || (a.key < b.key ? -1 : 1);

test('after any change the order equals a full sort', () => {
  const changes = fc.array(fc.dictionary(fc.constantFrom(...'abcdefghij'), fc.integer({ min: 0, max: 4 })), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(changes, (steps) => {
      const sorted = new SortedRows();
      const known = new Map<string, Row>();
      for (const step of steps) {
        // For a row whose state is unchanged, reuses the identical row object, as a live list does.
        const rows = Object.entries(step).map(([name, state]) => {
          const before = known.get(name);
          const next = before?.cells[0] === state ? before : row(name, state);
          known.set(name, next);
          return next;
        });
        expect(sorted.sort(rows, 'state', byState)).toEqual([...rows].sort(byState));
      }
    }),
  );
});

test('a new sort order sorts all rows', () => {
  const sorted = new SortedRows();
  const rows = [row('a', 2), row('b', 1), row('c', 3)];
  sorted.sort(rows, 'state', byState);
  const down = sorted.sort(rows, '-state', (a, b) => byState(b, a));
  expect(down.map(({ metadata }) => metadata.name)).toEqual(['c', 'a', 'b']);
});

test('one change among ten thousand rows takes few comparisons', () => {
  const sorted = new SortedRows();
  const rows = Array.from({ length: 10_000 }, (_, index) => row(`r${index}`, (index * 7919) % 10_000));
  sorted.sort(rows, 'state', byState);
  let compared = 0;
  const counted = (a: Row, b: Row) => {
    compared += 1;
    return byState(a, b);
  };
  rows[17] = row('r17', 5);
  sorted.sort(rows, 'state', counted);
  expect(compared).toBeLessThan(20);
});
