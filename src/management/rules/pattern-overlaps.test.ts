import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PatternOverlaps } from './pattern-overlaps.ts';

const parts = ['pods', 'nodes', '*'] as const;
const pattern = fc.oneof(
  fc.constantFrom(...parts),
  fc.tuple(fc.constantFrom(...parts), fc.constantFrom('log', 'status', '*')).map((both) => both.join('/')),
);

/** Reference implementation: true if two patterns overlap and the error is to be reported for `narrow`. */
function overlaps(wide: string, narrow: string, isEarlier: boolean): boolean {
  if (wide === narrow) return isEarlier;
  if (!wide.includes('*')) return false;
  if (wide === '*') return true;
  const [wideResource, wideSubresource] = wide.split('/');
  const [resource, subresource] = narrow.split('/');
  if (narrow === '*' || wideSubresource === undefined || subresource === undefined) return false;
  const covers = (a: string | undefined, b: string | undefined) => a === b || a === '*';
  const intersects = (a: string | undefined, b: string | undefined) => covers(a, b) || covers(b, a);
  if (covers(wideResource, resource) && covers(wideSubresource, subresource)) return true;
  const isWildcard = narrow.includes('*') && isEarlier;
  return isWildcard && intersects(wideResource, resource) && intersects(wideSubresource, subresource);
}

it('the search finds the first overlapping pattern, as a comparison of all pairs does', () => {
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 8 }), (patterns) => {
      const index = new PatternOverlaps(patterns);
      for (const [at, text] of patterns.entries()) {
        const expected = patterns.findIndex((other, where) => where !== at && overlaps(other, text, where < at));
        expect(index.firstOf(text, at)).toBe(expected < 0 ? undefined : expected);
      }
    }),
    { numRuns: 2_000 },
  );
});

it('the search ignores invalid patterns', () => {
  expect(new PatternOverlaps(['pods/*/x', 'a b', 'pods/log']).firstOf('pods/log', 2)).toBeUndefined();
});
