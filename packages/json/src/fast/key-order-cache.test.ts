import { describe, expect, it } from 'vitest';
import { KeyOrderCache } from './key-order-cache.ts';

describe('KeyOrderCache', () => {
  it('returns the last value at a position, but only for the same name', () => {
    const order = new KeyOrderCache<number>();
    expect(order.get(0, 'a')).toBeUndefined();
    order.set(0, 'a', 1);
    order.set(1, 'b', 2);
    expect([order.get(0, 'a'), order.get(1, 'b'), order.get(0, 'b'), order.get(1, 'a')]).toEqual([
      1,
      2,
      undefined,
      undefined,
    ]);
    order.set(0, 'c', 3);
    expect([order.get(0, 'a'), order.get(0, 'c')]).toEqual([undefined, 3]);
  });

  it('caches positions in order from the first, up to a limit', () => {
    const order = new KeyOrderCache<number>();
    order.set(5, 'a', 1);
    expect(order.get(5, 'a')).toBeUndefined();
    for (let place = 0; place < 1000; place++) order.set(place, `n${place}`, place);
    expect(order.get(10, 'n10')).toBe(10);
    expect(order.get(999, 'n999')).toBeUndefined();
  });
});
