import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LinkedQueue, type QueueEntry } from './linked-queue.ts';

it('a linked queue keeps the insertion order, whichever entries are removed', () => {
  const step = fc.oneof(fc.constant('join'), fc.constant('shift'), fc.nat(40));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const line = new LinkedQueue<number>();
      const places: QueueEntry<number>[] = [];
      let model: number[] = [];
      for (const act of steps) {
        if (act === 'join') {
          model.push(places.length);
          places.push(line.push(places.length));
        } else if (act === 'shift') expect(line.shift()).toBe(model.shift());
        else {
          const place = places[act];
          if (place !== undefined) line.remove(place);
          model = model.filter((item) => item !== act);
        }
        expect([line.first, line.last, line.length]).toEqual([model[0], model.at(-1), model.length]);
      }
    }),
  );
});
