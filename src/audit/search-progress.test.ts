import { expect, it } from 'vitest';
import { formatSearchProgress, parseSearchProgress, type SearchProgress } from './search-progress.ts';

it('a search position is decoded to what was encoded', () => {
  const progress = new Map<string, SearchProgress>([
    ['0a1b2c3d4e', { position: 'MTIzIGFi_-A' }],
    ['1111111111', 'complete'],
    ['2222222222', 'failed'],
  ]);
  const text = formatSearchProgress(progress);
  expect(text).toBe('0a1b2c3d4e.MTIzIGFi_-A.1111111111..2222222222.*');
  expect([...parseSearchProgress(text)]).toEqual([...progress]);
  expect(new URLSearchParams({ continue: text }).toString()).toBe(`continue=${text}`);
});

it.each(['', 'a', 'a.b.c', 'a.!', '.x', `a.${'x'.repeat(200)}`, 'MTIzIGFi'])(
  'the search position %j is rejected with 400',
  (text) => {
    expect(() => parseSearchProgress(text)).toThrow('the query parameter continue is not valid');
  },
);
