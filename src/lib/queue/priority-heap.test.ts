import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PriorityHeap } from './priority-heap.ts';

interface Item {
  readonly id: number;
  rank: number;
}

it('a priority heap returns its first item after any additions, moves and removals', () => {
  const step = fc.record({
    act: fc.constantFrom('add', 'move', 'remove', 'take'),
    id: fc.integer({ min: 0, max: 12 }),
    rank: fc.integer({ min: 0, max: 8 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const heap = new PriorityHeap<Item>((one, other) => one.rank - other.rank || one.id - other.id);
      const items = Array.from({ length: 13 }, (_, id): Item => ({ id, rank: 0 }));
      const inside = new Set<Item>();
      for (const { act, id, rank } of steps) {
        const item = act === 'take' ? heap.first : items[id];
        if (item === undefined) continue;
        if (act === 'remove' || act === 'take') {
          heap.remove(item);
          inside.delete(item);
        } else if (act === 'move' || !inside.has(item)) {
          item.rank = rank;
          if (act === 'add') inside.add(item);
          if (act === 'add') heap.add(item);
          else heap.moved(item);
        }
        const [first] = [...inside].sort((one, other) => one.rank - other.rank || one.id - other.id);
        expect(heap.first).toBe(first);
        expect(heap.size).toBe(inside.size);
        expect(items.every((each) => heap.has(each) === inside.has(each))).toBe(true);
      }
    }),
  );
});
