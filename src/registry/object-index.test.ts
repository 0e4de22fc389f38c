import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePlaces, ObjectIndex, type Place } from './object-index.ts';

const text = fc.constantFrom('', 'a', 'ab', 'b', 'a-b', 'a.b', 'é', '\u{1f600}', '\ufffd');
const place = fc.record({ namespace: text, name: text });

describe('ObjectIndex', () => {
  it('behaves like a list that is sorted by namespace and name, whatever goes in and out (LIST-03)', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), place)), place, (steps, after) => {
        const index = new ObjectIndex<Place>();
        let model: Place[] = [];
        for (const [put, each] of steps) {
          model = model.filter((other) => comparePlaces(other, each) !== 0);
          if (put) {
            index.set(each);
            model.push(each);
          } else index.delete(each.namespace, each.name);
        }
        model.sort((a, b) =>
          Buffer.compare(Buffer.from(`${a.namespace}\0${a.name}`), Buffer.from(`${b.namespace}\0${b.name}`)),
        );
        expect([...index.iterate()]).toEqual(model);
        const rest = model.filter((each) => comparePlaces(each, after) > 0);
        expect([...index.iterate(undefined, after)]).toEqual(rest);
        expect(index.count(undefined, after)).toBe(rest.length);
        const own = model.filter(({ namespace }) => namespace === 'a');
        expect([...index.iterate('a')]).toEqual(own);
        expect(index.count('a')).toBe(own.length);
        for (const each of model) expect(index.get(each.namespace, each.name)).toBe(each);
      }),
    );
  });
});
