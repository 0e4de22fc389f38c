import { describe, expect, it } from 'vitest';
import { RowCache } from './row-cache.ts';

const row = (revision: number, length = 1) => ({ revision, value: 'x'.repeat(length) });

describe('the row cache', () => {
  it('returns the last written row, and nothing after its removal', () => {
    const rows = new RowCache();
    rows.onRead('a', row(1));
    rows.onWritten('a', row(2));
    expect(rows.get('a')).toEqual(row(2));
    rows.onWritten('a', undefined);
    expect(rows.get('a')).toBeUndefined();
  });

  it('contains rows that were only written', () => {
    const rows = new RowCache();
    rows.onWritten('a', row(1));
    expect(rows.get('a')).toEqual(row(1));
  });

  it('is bounded, and keeps recently used rows', () => {
    const rows = new RowCache();
    rows.onRead('asked', row(1));
    for (let number = 0; number < 2000; number++) {
      if (number % 2 === 0) rows.onRead(`other-${number}`, row(number));
      else rows.onWritten(`other-${number}`, row(number));
      expect(rows.get('asked')).toEqual(row(1));
    }
    expect(rows.get('other-0')).toBeUndefined();
    expect(rows.get('other-1999')).toEqual(row(1999));
  });

  it('contains no long rows, not even after a write', () => {
    const rows = new RowCache();
    rows.onRead('long', row(1, 5000));
    expect(rows.get('long')).toBeUndefined();
    rows.onRead('grows', row(1));
    rows.onWritten('grows', row(2, 5000));
    expect(rows.get('grows')).toBeUndefined();
    rows.onWritten('long', row(1, 5000));
    expect(rows.get('long')).toBeUndefined();
  });

  it('is empty after clear', () => {
    const rows = new RowCache();
    rows.onRead('a', row(1));
    rows.clear();
    expect(rows.get('a')).toBeUndefined();
  });
});
