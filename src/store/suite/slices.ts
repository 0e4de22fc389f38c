import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKeyInRange, type Key } from '../key.ts';
import { ChangeRecorder } from './recorder.ts';
import { historyOf, type OpenStore, storeOpener } from './suite-store.ts';

/** Slice names that could be confused: prefixes of each other, empty names, and names with separator characters. */
const name = fc.constantFrom(
  'a',
  'ab',
  'a/b',
  'a\u0001',
  'a\u0001b',
  '',
  '/',
  '\u0001',
  'b',
  'a ',
  'a\u007f',
  'a\uffff',
  '0',
  '0000000000000002',
);

const someKey: fc.Arbitrary<Key> = fc.record({ slice: name, segments: fc.array(name, { minLength: 1, maxLength: 3 }) });
const someRange = fc.record({ slice: name, prefix: fc.array(name, { maxLength: 2 }) });

export function slicesTests(open: OpenStore): void {
  const newStore = storeOpener(open);

  describe('slices and segments that are prefixes of each other', () => {
    it('are isolated from each other: list, history, observe, removePrefix', async () => {
      const property = fc.asyncProperty(
        fc.uniqueArray(someKey, { minLength: 1, maxLength: 12, selector: (each) => JSON.stringify(each) }),
        fc.array(someRange, { minLength: 1, maxLength: 4 }),
        async (keys, ranges) => {
          const store = await newStore();
          const watching = await Promise.all(
            ranges.map(async (range) => {
              const recorder = new ChangeRecorder();
              await store.observe(range, 1, recorder);
              return { range, recorder };
            }),
          );
          const revisions = await store.transact({ writes: keys.map((key, index) => ({ key, value: `${index}` })) });
          for (const { range, recorder } of watching) {
            const inside = keys.filter((key) => isKeyInRange(range, key));
            const { entries } = await store.list(range);
            expect(entries.map(({ key }) => JSON.stringify(key)).sort()).toEqual(
              inside.map((key) => JSON.stringify(key)).sort(),
            );
            expect((await historyOf(store, range, 1)).map(({ key }) => key)).toEqual(inside);
            expect(recorder.changesSeen.map(({ key }) => key)).toEqual(inside);
            const last = keys.findLastIndex(({ slice }) => slice === range.slice);
            expect(await store.revision(range.slice)).toBe(revisions[last] ?? 1);
          }
          const [first] = ranges;
          if (first === undefined) return;
          await store.removePrefix(first);
          for (const key of keys) expect((await store.get(key)) === undefined).toBe(isKeyInRange(first, key));
          await store.close();
        },
      );
      await fc.assert(property, { numRuns: 60 });
    }, 60_000);
  });
}
