import { describe, expect, it } from 'vitest';
import { countIndexes, sharedIndex } from './index-ranges.ts';

describe('a list of indexes', () => {
  it.each([
    ['', 0],
    ['0', 1],
    ['0,2-4', 4],
  ])('has a number of indexes: %s', (text, value) => {
    expect(countIndexes(text, 5)).toEqual({ value });
  });

  it.each([
    ['5', 'too large index: "5"'],
    ['1-2-3', expect.stringContaining('at most two parts')],
    ['2-1', 'non-increasing order, previous: 2, current: 1'],
    ['2,1', 'non-increasing order, previous: 2, current: 1'],
    ['-1', 'cannot convert string to integer for index: ""'],
    ['x', 'cannot convert string to integer for index: "x"'],
  ])('is invalid: %s', (text, fault) => {
    expect(countIndexes(text, 5)).toEqual({ fault });
  });

  it('may share an index with another list', () => {
    expect(sharedIndex('0-2,5', '3,5', 9)).toBe(5);
    expect(sharedIndex('0-2,x', '3-4', 9)).toBeUndefined();
    expect(sharedIndex('', '3', 9)).toBeUndefined();
  });
});
