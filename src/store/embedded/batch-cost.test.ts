import { describe, expect, it } from 'vitest';
import { BatchCost } from './batch-cost.ts';

describe('the cost of a batch', () => {
  it('is low on a fast disk without watches', () => {
    const cost = new BatchCost();
    for (let flush = 0; flush < 100; flush++) {
      cost.flushed(0.5);
      expect(cost.isHigh()).toBe(false);
    }
  });

  it('is high only if many watches were notified since the previous batch', () => {
    const cost = new BatchCost();
    cost.add(7);
    expect(cost.isHigh()).toBe(false);
    for (const readers of [3, 5]) cost.add(readers);
    expect(cost.wakesReaders).toBe(true);
    expect(cost.isHigh()).toBe(true);
    expect(cost.wakesReaders).toBe(false);
    expect(cost.isHigh()).toBe(false);
  });

  it('is high on a slow disk, judged by the fastest of the recent flushes', () => {
    const cost = new BatchCost();
    for (let flush = 0; flush < 15; flush++) cost.flushed(5);
    expect(cost.isHigh()).toBe(false);
    cost.flushed(4);
    expect(cost.isHigh()).toBe(true);
    cost.flushed(0.5);
    expect(cost.isHigh()).toBe(false);
    for (let flush = 0; flush < 16; flush++) cost.flushed(9);
    expect(cost.isHigh()).toBe(true);
  });
});
