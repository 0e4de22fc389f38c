import { describe, expect, it } from 'vitest';
import { Turns } from '../lib/turns.ts';
import { BatchCost } from './batch-cost.ts';

async function readBy(readers: number): Promise<void> {
  const turns = new Turns(readers);
  for (let reader = 0; reader < readers; reader++) turns.add(() => {});
  await new Promise((resolve) => setImmediate(resolve));
}

describe('what a batch costs', () => {
  it('is little on a quick disk, with nobody who watches', () => {
    const cost = new BatchCost();
    for (let flush = 0; flush < 100; flush++) {
      cost.flushed(0.5);
      expect(cost.isHigh()).toBe(false);
    }
  });

  it('is much where many were written to since the last one, and only then', async () => {
    const cost = new BatchCost();
    await readBy(7);
    expect(cost.isHigh()).toBe(false);
    await readBy(8);
    expect(cost.isHigh()).toBe(true);
    expect(cost.isHigh()).toBe(false);
  });

  it('is much on a slow disk, which is known by the quickest of its last flushes', () => {
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
