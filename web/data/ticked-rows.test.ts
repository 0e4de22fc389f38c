import { expect, test } from 'vitest';
import type { Row } from './table-rows.ts';
import { tickedRange, toggled } from './ticked-rows.ts';

const rows = ['a', 'b', 'c', 'd'].map((key): Row => {
  const metadata = { name: key };
  return { key, metadata, cells: [], object: { apiVersion: 'v1', kind: 'Thing', metadata } };
});

test('one more, one less', () => {
  expect([...toggled(new Set(['a']), 'b')]).toEqual(['a', 'b']);
  expect([...toggled(new Set(['a', 'b']), 'a')]).toEqual(['b']);
});

test('a range goes in both directions and keeps what is ticked', () => {
  expect([...tickedRange(new Set(['d']), rows, 'a', 'c')].sort()).toEqual(['a', 'b', 'c', 'd']);
  expect([...tickedRange(new Set(['c']), rows, 'c', 'b')].sort()).toEqual(['b', 'c']);
});

test('a range from a row that is gone is the one row', () => {
  expect([...tickedRange(new Set(), rows, 'gone', 'c')]).toEqual(['c']);
});
