import { describe, expect, it } from 'vitest';
import { RecentRows } from './recent-rows.ts';

const row = (revision: number, length = 1) => ({ revision, value: 'x'.repeat(length) });

describe('the row cache', () => {
  it('returns the last written row, and nothing after its removal', () => {
    const rows = new RecentRows();
    rows.wasRead('a', row(1));
    rows.wasWritten('a', row(2));
    expect(rows.get('a')).toEqual(row(2));
    rows.wasWritten('a', undefined);
    expect(rows.get('a')).toBeUndefined();
  });

  it('contains rows that were only written', () => {
    const rows = new RecentRows();
    rows.wasWritten('a', row(1));
    expect(rows.get('a')).toEqual(row(1));
  });

  it('is bounded, and keeps recently used rows', () => {
    const rows = new RecentRows();
    rows.wasRead('asked', row(1));
    for (let number = 0; number < 2000; number++) {
      if (number % 2 === 0) rows.wasRead(`other-${number}`, row(number));
      else rows.wasWritten(`other-${number}`, row(number));
      expect(rows.get('asked')).toEqual(row(1));
    }
    expect(rows.get('other-0')).toBeUndefined();
    expect(rows.get('other-1999')).toEqual(row(1999));
  });

  it('contains no long rows, not even after a write', () => {
    const rows = new RecentRows();
    rows.wasRead('long', row(1, 5000));
    expect(rows.get('long')).toBeUndefined();
    rows.wasRead('grows', row(1));
    rows.wasWritten('grows', row(2, 5000));
    expect(rows.get('grows')).toBeUndefined();
    rows.wasWritten('long', row(1, 5000));
    expect(rows.get('long')).toBeUndefined();
  });

  it('is empty after clear', () => {
    const rows = new RecentRows();
    rows.wasRead('a', row(1));
    rows.clear();
    expect(rows.get('a')).toBeUndefined();
  });
});
