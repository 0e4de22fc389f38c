import { describe, expect, it } from 'vitest';
import { UsualOrder } from './usual-order.ts';

describe('KeyOrderCache', () => {
  it('returns the last value at a position, but only for the same name', () => {
    const order = new UsualOrder<number>();
    expect(order.at(0, 'a')).toBeUndefined();
    order.put(0, 'a', 1);
    order.put(1, 'b', 2);
    expect([order.at(0, 'a'), order.at(1, 'b'), order.at(0, 'b'), order.at(1, 'a')]).toEqual([
      1,
      2,
      undefined,
      undefined,
    ]);
    order.put(0, 'c', 3);
    expect([order.at(0, 'a'), order.at(0, 'c')]).toEqual([undefined, 3]);
  });

  it('caches positions in order from the first, up to a limit', () => {
    const order = new UsualOrder<number>();
    order.put(5, 'a', 1);
    expect(order.at(5, 'a')).toBeUndefined();
    for (let place = 0; place < 1000; place++) order.put(place, `n${place}`, place);
    expect(order.at(10, 'n10')).toBe(10);
    expect(order.at(999, 'n999')).toBeUndefined();
  });
});
