import { onBothPaths } from '@flotilla/fast-paths/fast-paths.fixture.ts';
import { cloneJson } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { prune } from './prune.ts';
import { jsonOf, orderedText, resources, schemaOf } from './schema-arbitraries.fixture.ts';

it('pruning removes and reports the same members on the plain path and on the fast path', () => {
  const values = fc.oneof(resources, jsonOf(2));
  let pruned = 0;
  fc.assert(
    fc.property(schemaOf(2), values, fc.boolean(), (schema, value, isResource) => {
      const { plain, fast } = onBothPaths(() => {
        const copy = cloneJson(value);
        const removed = prune(schema, copy, { isResource });
        if (removed.length > 0) pruned++;
        return orderedText([copy, removed]);
      });
      expect(fast).toBe(plain);
    }),
    { numRuns: 2_000 },
  );
  expect(pruned).toBeGreaterThan(100);
});
