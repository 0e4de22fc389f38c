import { expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

it('the cache returns the last value for a text, and respects its limits of size and text length', () => {
  const known = new BoundedCache<number>({ most: 3, longest: 4 });
  expect(known.get('a')).toBeUndefined();
  known.set('a', 1);
  known.set('a', 2);
  known.set('too long', 3);
  expect([known.get('a'), known.get('too long')]).toEqual([2, undefined]);
  for (let index = 0; index < 10; index++) known.set(`n${index}`, index);
  const kept = Array.from({ length: 10 }, (_, index) => known.get(`n${index}`)).filter((found) => found !== undefined);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThanOrEqual(3);
  expect(known.get('n9')).toBe(9);
});
