import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { GroupCommit } from './group-commit.ts';

/** A group commit with a manual clock, for expensive batches by default. */
function createTestEnv() {
  const clock = new ManualClock();
  const cost = { high: true, isHigh: () => cost.high };
  const groupCommit = new GroupCommit(cost, (milliseconds, callback) => clock.after(milliseconds, callback));
  return {
    cost,
    clock,
    groupCommit,
    /**
     * Starts a batch with this number of queued items. Reports whether the batch begins at once, and when it has begun.
     */
    begin(items: number) {
      let hasBegun = false;
      const before = groupCommit.waitToBegin(items);
      const begun = before?.then(() => {
        hasBegun = true;
      });
      return { atOnce: before === undefined, begun, hasBegun: () => hasBegun };
    },
  };
}

/** Returns a group commit that has seen only batches of the same ten writers. */
function inStep() {
  const env = createTestEnv();
  for (let batch = 0; batch < 8; batch++) env.groupCommit.onWritten(10, 0);
  return env;
}

describe('a batch', () => {
  it('begins at once for a single writer, and for a few items that coincide', () => {
    const { groupCommit, begin } = createTestEnv();
    for (const items of [1, 3, 1, 2, 1]) {
      expect(begin(items).atOnce).toBe(true);
      groupCommit.onWritten(items, 0);
    }
  });

  it('begins at once with as many items as the previous one', () => {
    const { begin } = inStep();
    expect(begin(10).atOnce).toBe(true);
    expect(begin(9).atOnce).toBe(false);
  });

  it('waits until all writers that were notified together have written again', async () => {
    const { groupCommit, begin } = inStep();
    const batch = begin(1);
    for (const items of [2, 5, 9]) groupCommit.onQueued(items);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    groupCommit.onQueued(10);
    await batch.begun;
  });

  it('waits for all writers again after some of them were late', async () => {
    const { groupCommit, begin } = inStep();
    for (const [items, late] of [
      [7, 3],
      [1, 9],
      [8, 2],
      [5, 5],
    ] as const) {
      groupCommit.onWritten(items, late);
      const batch = begin(late);
      groupCommit.onQueued(9);
      await Promise.resolve();
      expect(batch.hasBegun()).toBe(false);
      groupCommit.onQueued(10);
      await batch.begun;
    }
  });

  it('waits for all writers that alternate in two halves', async () => {
    const { groupCommit, begin } = createTestEnv();
    for (let batch = 0; batch < 7; batch++) {
      groupCommit.onWritten(5, 5);
      expect(begin(5).atOnce).toBe(true);
    }
    groupCommit.onWritten(5, 5);
    const batch = begin(5);
    groupCommit.onQueued(10);
    await batch.begun;
  });

  it('waits for most writers if there are a few others, and not at all if there are many', () => {
    const { groupCommit, begin } = inStep();
    groupCommit.onWritten(11, 2);
    expect(begin(8).atOnce).toBe(true);
    expect(begin(7).atOnce).toBe(false);
    groupCommit.onWritten(7, 3);
    expect(begin(3).atOnce).toBe(true);
    groupCommit.onWritten(2, 2);
    expect(begin(2).atOnce).toBe(true);
  });

  it('waits for half of the writers if a batch is cheap', async () => {
    const { clock, cost, groupCommit, begin } = inStep();
    cost.high = false;
    expect(begin(5).atOnce).toBe(true);
    const batch = begin(4);
    clock.advance(3.9);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    groupCommit.onQueued(5);
    await batch.begun;
    expect(begin(4).atOnce).toBe(false);
  });

  it('waits at most one millisecond for the last writers', async () => {
    const { clock, groupCommit, begin } = inStep();
    const batch = begin(1);
    clock.advance(2);
    groupCommit.onQueued(8);
    clock.advance(0.5);
    groupCommit.onQueued(9);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    clock.advance(0.5);
    await batch.begun;
    groupCommit.onWritten(10, 0);
    expect(begin(1).atOnce).toBe(true);
    const next = begin(9);
    expect(next.atOnce).toBe(false);
    clock.advance(1);
    await next.begun;
  });

  it('begins at once if many items were queued during the previous flush', () => {
    const { groupCommit, begin } = createTestEnv();
    groupCommit.onWritten(10, 5);
    expect(begin(5).atOnce).toBe(true);
    groupCommit.onWritten(10, 2);
    expect(begin(2).atOnce).toBe(false);
  });

  it('does not wait for hundreds of writers', async () => {
    const { groupCommit, begin } = createTestEnv();
    groupCommit.onWritten(200, 0);
    const batch = begin(1);
    groupCommit.onQueued(7);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    groupCommit.onQueued(8);
    await batch.begun;
    groupCommit.onWritten(13, 0);
    expect(begin(8).atOnce).toBe(true);
  });

  it('waits at most a few milliseconds for writers that do not write again', async () => {
    const { clock, groupCommit, begin } = createTestEnv();
    groupCommit.onWritten(10, 0);
    const batch = begin(1);
    clock.advance(4);
    await batch.begun;
    groupCommit.onWritten(1, 0);
    expect(begin(1).atOnce).toBe(true);
  });

  it('waits less often after timeouts, and as before after a successful wait', async () => {
    const { clock, groupCommit, begin } = createTestEnv();
    const batchesUntilNextWait = async (): Promise<number> => {
      for (let batches = 0; ; batches++) {
        groupCommit.onWritten(10, 0);
        const batch = begin(1);
        if (batch.atOnce) continue;
        clock.advance(4);
        await batch.begun;
        return batches;
      }
    };
    const batches = [];
    while (batches.length < 8) batches.push(await batchesUntilNextWait());
    expect(batches).toEqual([0, 1, 3, 7, 15, 31, 63, 63]);

    for (let skipped = 0; skipped < 63; skipped++) expect(begin(1).atOnce).toBe(true);
    const awaited = begin(1);
    groupCommit.onQueued(10);
    await awaited.begun;
    expect(begin(1).atOnce).toBe(false);
  });

  it('begins at once after stop', async () => {
    const { groupCommit, begin } = createTestEnv();
    groupCommit.onWritten(10, 0);
    const batch = begin(1);
    groupCommit.stop();
    await batch.begun;
    groupCommit.onWritten(10, 0);
    expect(begin(1).atOnce).toBe(true);
  });
});
