import { expect, test } from 'vitest';
import { selectRange, toggleKey } from './row-selection.ts';
import type { Row } from './table-rows.ts';

const rows = ['a', 'b', 'c', 'd'].map((key): Row => {
  const metadata = { name: key };
  return { key, metadata, cells: [], object: { apiVersion: 'v1', kind: 'Thing', metadata } };
});

test('a toggle adds or removes a row', () => {
  expect([...toggleKey(new Set(['a']), 'b')]).toEqual(['a', 'b']);
  expect([...toggleKey(new Set(['a', 'b']), 'a')]).toEqual(['b']);
});

test('a range works in both directions and keeps the selection', () => {
  expect([...selectRange(new Set(['d']), rows, 'a', 'c')].sort()).toEqual(['a', 'b', 'c', 'd']);
  expect([...selectRange(new Set(['c']), rows, 'c', 'b')].sort()).toEqual(['b', 'c']);
});

test('a range from a removed row selects the clicked row only', () => {
  expect([...selectRange(new Set(), rows, 'gone', 'c')]).toEqual(['c']);
});
