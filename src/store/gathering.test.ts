import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { Gathering } from './gathering.ts';

/** One whose batches begin when it says so; they cost much unless told otherwise. */
function bench() {
  const clock = new ManualClock();
  const cost = { high: true, isHigh: () => cost.high };
  const gathering = new Gathering(cost, (milliseconds, callback) => clock.after(milliseconds, callback));
  return {
    cost,
    clock,
    gathering,
    /** The next batch with so many there; gives whether it begins at once, and how to know that it has begun. */
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

/** Ten of whom it is known that they write in step, with nobody else. */
function inStep() {
  const it = bench();
  for (let batch = 0; batch < 8; batch++) it.gathering.written(10, 0);
  return it;
}

describe('the beginning of a batch', () => {
  it('is at once for who writes alone, and for a few that have met by chance', () => {
    const { gathering, begin } = bench();
    for (const works of [1, 3, 1, 2, 1]) {
      expect(begin(works).atOnce).toBe(true);
      gathering.written(works, 0);
    }
  });

  it('is at once where as many are there as in the last one', () => {
    const { begin } = inStep();
    expect(begin(10).atOnce).toBe(true);
    expect(begin(9).atOnce).toBe(false);
  });

  it('waits until all who were answered together have written again', async () => {
    const { gathering, begin } = inStep();
    const batch = begin(1);
    for (const works of [2, 5, 9]) gathering.came(works);
    await Promise.resolve();
    expect(batch.hasBegun()).toBe(false);
    gathering.came(10);
    await batch.begun;
  });

  it('waits for all again after some of them were late, however many', async () => {
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

  it('waits for all of those who write by turns, half of them at a time', async () => {
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

  it('waits for most only where others write as well, and for nobody where these are many', () => {
    const { gathering, begin } = inStep();
    gathering.written(11, 2);
    expect(begin(8).atOnce).toBe(true);
    expect(begin(7).atOnce).toBe(false);
    gathering.written(7, 3);
    expect(begin(3).atOnce).toBe(true);
    gathering.written(2, 2);
    expect(begin(2).atOnce).toBe(true);
  });

  it('waits for half of them where a batch costs little, also where nearly so many are there', async () => {
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

  it('waits for the last ones of all no longer than a millisecond', async () => {
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

  it('is at once where many others are there already, who came while these were written', () => {
    const { gathering, begin } = bench();
    gathering.written(10, 5);
    expect(begin(5).atOnce).toBe(true);
    gathering.written(10, 2);
    expect(begin(2).atOnce).toBe(false);
  });

  it('does not wait for hundreds', async () => {
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

  it('does not wait longer than a few milliseconds for those who do not come', async () => {
    const { clock, gathering, begin } = bench();
    gathering.written(10, 0);
    const batch = begin(1);
    clock.advance(4);
    await batch.begun;
    gathering.written(1, 0);
    expect(begin(1).atOnce).toBe(true);
  });

  it('waits ever more rarely where that was in vain, and as before once they came', async () => {
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

  it('is at once when nobody else will come', async () => {
    const { gathering, begin } = bench();
    gathering.written(10, 0);
    const batch = begin(1);
    gathering.stop();
    await batch.begun;
    gathering.written(10, 0);
    expect(begin(1).atOnce).toBe(true);
  });
});
