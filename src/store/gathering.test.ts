import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { Gathering } from './gathering.ts';

/** A group commit with a manual clock, for expensive batches by default. */
function bench() {
  const clock = new ManualClock();
  const cost = { high: true, isHigh: () => cost.high };
  const gathering = new Gathering(cost, (milliseconds, callback) => clock.after(milliseconds, callback));
  return {
    cost,
    clock,
    gathering,
    /** Starts a batch with that many queued items; reports whether it begins at once, and when it has begun. */
    begin(works: number) {
      let hasBegun = false;
      const before = gathering.before(works);
      const begun = before?.then(() => {
        hasBegun = true;
      });
      return { atOnce: before === undefined, begun, hasBegun: () => hasBegun };
    },
  };
}

/** A group commit that has seen ten writers in step, and no others. */
function inStep() {
  const it = bench();
  for (let batch = 0; batch < 8; batch++) it.gathering.written(10, 0);
  return it;
}

describe('a batch', () => {
  it('begins at once for a single writer, and for a few items that coincide', () => {
    const { gathering, begin } = bench();
    for (const works of [1, 3, 1, 2, 1]) {
      expect(begin(works).atOnce).toBe(true);
      gathering.written(works, 0);
    }
  });

  it('begins at once with as many items as the previous one', () => {
    const { begin } = inStep();
    expect(begin(10).atOnce).toBe(true);
    expect(begin(9).atOnce).toBe(false);
  });

  it('waits until all writers that were notified together have written again', async () => {
    const { gathering, begin } = inStep();
    const batch = begin(1);
    for (const works of [2, 5, 9]) gathering.came(works);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    gathering.came(10);
    await batch.begun;
  });

  it('waits for all writers again after some of them were late', async () => {
    const { gathering, begin } = inStep();
    for (const [works, late] of [
      [7, 3],
      [1, 9],
      [8, 2],
      [5, 5],
    ] as const) {
      gathering.written(works, late);
      const batch = begin(late);
      gathering.came(9);
      await Promise.resolve();
      expect(batch.hasBegun()).toBe(false);
      gathering.came(10);
      await batch.begun;
    }
  });

  it('waits for all writers that alternate in two halves', async () => {
    const { gathering, begin } = bench();
    for (let batch = 0; batch < 7; batch++) {
      gathering.written(5, 5);
      expect(begin(5).atOnce).toBe(true);
    }
    gathering.written(5, 5);
    const batch = begin(5);
    gathering.came(10);
    await batch.begun;
  });

  it('waits for most writers if there are a few others, and not at all if there are many', () => {
    const { gathering, begin } = inStep();
    gathering.written(11, 2);
    expect(begin(8).atOnce).toBe(true);
    expect(begin(7).atOnce).toBe(false);
    gathering.written(7, 3);
    expect(begin(3).atOnce).toBe(true);
    gathering.written(2, 2);
    expect(begin(2).atOnce).toBe(true);
  });

  it('waits for half of the writers if a batch is cheap', async () => {
    const { clock, cost, gathering, begin } = inStep();
    cost.high = false;
    expect(begin(5).atOnce).toBe(true);
    const batch = begin(4);
    clock.advance(3.9);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    gathering.came(5);
    await batch.begun;
    expect(begin(4).atOnce).toBe(false);
  });

  it('waits at most one millisecond for the last writers', async () => {
    const { clock, gathering, begin } = inStep();
    const batch = begin(1);
    clock.advance(2);
    gathering.came(8);
    clock.advance(0.5);
    gathering.came(9);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    clock.advance(0.5);
    await batch.begun;
    gathering.written(10, 0);
    expect(begin(1).atOnce).toBe(true);
    const next = begin(9);
    expect(next.atOnce).toBe(false);
    clock.advance(1);
    await next.begun;
  });

  it('begins at once if many items were queued during the previous flush', () => {
    const { gathering, begin } = bench();
    gathering.written(10, 5);
    expect(begin(5).atOnce).toBe(true);
    gathering.written(10, 2);
    expect(begin(2).atOnce).toBe(false);
  });

  it('does not wait for hundreds of writers', async () => {
    const { gathering, begin } = bench();
    gathering.written(200, 0);
    const batch = begin(1);
    gathering.came(7);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    gathering.came(8);
    await batch.begun;
    gathering.written(13, 0);
    expect(begin(8).atOnce).toBe(true);
  });

  it('waits at most a few milliseconds for writers that do not write again', async () => {
    const { clock, gathering, begin } = bench();
    gathering.written(10, 0);
    const batch = begin(1);
    clock.advance(4);
    await batch.begun;
    gathering.written(1, 0);
    expect(begin(1).atOnce).toBe(true);
  });

  it('waits less often after timeouts, and as before after a successful wait', async () => {
    const { clock, gathering, begin } = bench();
    const batchesUntilNextWait = async (): Promise<number> => {
      for (let batches = 0; ; batches++) {
        gathering.written(10, 0);
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
    gathering.came(10);
    await awaited.begun;
    expect(begin(1).atOnce).toBe(false);
  });

  it('begins at once after stop', async () => {
    const { gathering, begin } = bench();
    gathering.written(10, 0);
    const batch = begin(1);
    gathering.stop();
    await batch.begun;
    gathering.written(10, 0);
    expect(begin(1).atOnce).toBe(true);
  });
});
