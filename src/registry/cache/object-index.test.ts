import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareObjectKeys, ObjectIndex, type ObjectKey } from './object-index.ts';

const text = fc.constantFrom('', 'a', 'ab', 'b', 'a-b', 'a.b', 'é', '\u{1f600}', '\ufffd');
const place = fc.record({ namespace: text, name: text });

describe('ObjectIndex', () => {
  it('the index equals a list sorted by namespace and name after any insertions and deletions (LIST-03)', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), place)), place, (steps, after) => {
        const index = new ObjectIndex<ObjectKey>();
        let model: ObjectKey[] = [];
        for (const [put, each] of steps) {
          model = model.filter((other) => compareObjectKeys(other, each) !== 0);
          if (put) {
            index.set(each);
            model.push(each);
          } else index.delete(each.namespace, each.name);
        }
        model.sort((a, b) =>
          Buffer.compare(Buffer.from(`${a.namespace}\0${a.name}`), Buffer.from(`${b.namespace}\0${b.name}`)),
        );
        expect([...index.iterate()]).toEqual(model);
        const rest = model.filter((each) => compareObjectKeys(each, after) > 0);
        expect([...index.iterate(undefined, after)]).toEqual(rest);
        expect(index.count(undefined, after)).toBe(rest.length);
        const own = model.filter(({ namespace }) => namespace === 'a');
        expect([...index.iterate('a')]).toEqual(own);
        expect(index.count('a')).toBe(own.length);
        for (const each of model) expect(index.get(each.namespace, each.name)).toBe(each);
      }),
    );
  });

  it('the index stays sorted when it grows large and shrinks again, in any order', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(
          Array.from({ length: 2000 }, (_, at) => at),
          { minLength: 1500 },
        ),
        (order) => {
          const index = new ObjectIndex<ObjectKey>();
          const nameOf = (at: number) => `n-${String(at).padStart(5, '0')}`;
          for (const at of order) index.set({ namespace: 'a', name: nameOf(at) });
          const sorted = order.map(nameOf).sort();
          expect(index.take('a').map(({ name }) => name)).toEqual(sorted);
          const middle = { namespace: 'a', name: nameOf(1000) };
          const rest = sorted.filter((name) => name > middle.name);
          expect(index.take('a', middle, 7).map(({ name }) => name)).toEqual(rest.slice(0, 7));
          expect(index.count('a', middle)).toBe(rest.length);
          const replaced = { namespace: 'a', name: sorted[5] ?? '' };
          index.set(replaced);
          expect(index.take('a')[5]).toBe(replaced);
          for (const at of order.slice(10)) index.delete('a', nameOf(at));
          expect([...index.iterate()].map(({ name }) => name)).toEqual(order.slice(0, 10).map(nameOf).sort());
          expect(index.count()).toBe(10);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('take returns a copy that later changes do not affect', () => {
    const index = new ObjectIndex<ObjectKey>();
    for (const name of ['a', 'b', 'c']) index.set({ namespace: 'n', name });
    const taken = index.take();
    index.delete('n', 'b');
    index.set({ namespace: 'n', name: 'aa' });
    expect(taken.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });
});
