import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PathSet, withoutStars } from './path-set.ts';
import { pathCovers } from './rule-allows.ts';

const path = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '*'), maxLength: 6 });

it('a path set covers the same paths as its members one by one', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 8 }), path, (allowed, wanted) => {
      const set = new PathSet();
      for (const each of allowed) set.add(each);
      expect(set.covers(wanted)).toBe(allowed.some((each) => pathCovers(each, wanted)));
    }),
    { numRuns: 5000 },
  );
});

it('a path set removes the stars at the end only', () => {
  expect(withoutStars('/a*b**')).toBe('/a*b');
  expect(withoutStars(`${'*'.repeat(1_000_000)}a`)).toHaveLength(1_000_001);
});
