import { describe, expect, it } from 'vitest';
import { formatDuration, instancesText, joinNames, pluralize } from './format-text.ts';

describe('text formatting', () => {
  it('joins names with commas and a conjunction', () => {
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((names) => joinNames(names))).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ]);
    expect(joinNames(['a', 'b'], 'or')).toBe('a or b');
  });

  it('names virtual clusters and spaces', () => {
    expect([instancesText(1, 2), instancesText(0, 1), instancesText(undefined, 0)]).toEqual([
      '1 virtual cluster and 2 spaces',
      '1 space',
      'the virtual clusters',
    ]);
  });

  it('uses singular and plural', () => {
    expect([pluralize(0, 'key'), pluralize(1, 'key'), pluralize(2, 'entry', 'entries')]).toEqual([
      '0 keys',
      '1 key',
      '2 entries',
    ]);
  });

  it('formats a duration in the largest unit that divides it', () => {
    expect([1, 90, 5_400, 86_400, 2_592_000, 31_536_000, 0].map(formatDuration)).toEqual([
      '1 second',
      '90 seconds',
      '90 minutes',
      '1 day',
      '30 days',
      '1 year',
      '0 seconds',
    ]);
  });
});
