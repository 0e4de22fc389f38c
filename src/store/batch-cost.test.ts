import { describe, expect, it } from 'vitest';
import { Turns } from '../lib/turns.ts';
import { BatchCost } from './batch-cost.ts';

async function notifyWatches(watches: number): Promise<void> {
  const scheduler = new Turns(watches);
  for (let watch = 0; watch < watches; watch++) scheduler.add(() => {});
  await new Promise((resolve) => setImmediate(resolve));
}

describe('the cost of a batch', () => {
  it('is low on a fast disk without watches', () => {
    const cost = new BatchCost();
    for (let flush = 0; flush < 100; flush++) {
      cost.flushed(0.5);
      expect(cost.isHigh()).toBe(false);
    }
  });

  it('is high only if many watches were notified since the previous batch', async () => {
    const cost = new BatchCost();
    await notifyWatches(7);
    expect(cost.isHigh()).toBe(false);
    await notifyWatches(8);
    expect(cost.isHigh()).toBe(true);
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
