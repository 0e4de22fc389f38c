import { expect, test } from 'vitest';
import type { Row } from './table-rows.ts';
import { tickedRange, toggled } from './ticked-rows.ts';

const rows = ['a', 'b', 'c', 'd'].map((key): Row => {
  const metadata = { name: key };
  return { key, metadata, cells: [], object: { apiVersion: 'v1', kind: 'Thing', metadata } };
});

test('a toggle adds or removes a row', () => {
  expect([...toggled(new Set(['a']), 'b')]).toEqual(['a', 'b']);
  expect([...toggled(new Set(['a', 'b']), 'a')]).toEqual(['b']);
});

test('a range works in both directions and keeps the selection', () => {
  expect([...tickedRange(new Set(['d']), rows, 'a', 'c')].sort()).toEqual(['a', 'b', 'c', 'd']);
  expect([...tickedRange(new Set(['c']), rows, 'c', 'b')].sort()).toEqual(['b', 'c']);
});

test('a range from a removed row selects the clicked row only', () => {
  expect([...tickedRange(new Set(), rows, 'gone', 'c')]).toEqual(['c']);
});
