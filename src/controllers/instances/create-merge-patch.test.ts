import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyMergePatch } from '../../registry/patch/merge-patch.ts';
import { createMergePatch } from './create-merge-patch.ts';

// Values without null, because a merge patch cannot set null.
const value = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()), tie('object')),
  object: fc.dictionary(fc.string({ maxLength: 2 }), tie('value')),
})).object as fc.Arbitrary<JsonObject>;

it('the patch turns the first value into the second, and is undefined for equal values', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const patch = createMergePatch(before, after);
      expect(patch === undefined ? before : applyMergePatch(before, patch)).toEqual(after);
      expect(createMergePatch(after, structuredClone(after))).toBeUndefined();
    }),
  );
});
