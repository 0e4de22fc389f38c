import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { KeyedWorkQueue } from './keyed-work-queue.ts';

interface Run {
  readonly key: string;
  finish(): void;
  fail(): void;
}

function open() {
  const clock = new ManualClock();
  const runs: Run[] = [];
  const work = new KeyedWorkQueue({
    name: 'it',
    clock,
    log: silentLog,
    reconcile: (key) =>
      new Promise((resolve, reject) => runs.push({ key, finish: resolve, fail: () => reject(new Error('no')) })),
  });
  return { clock, runs, work };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('a keyed work queue', () => {
  it('runs a key once at a time, and once more for all additions during a run', async () => {
    const { runs, work } = open();
    const first = work.add('a');
    await tick();
    const later = [work.add('a'), work.add('a'), work.add('a')];
    const other = work.add('b');
    await tick();
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b']);
    runs[0]?.finish();
    await first;
    await tick();
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b', 'a']);
    runs[1]?.finish();
    runs[2]?.finish();
    await Promise.all([...later, other]);
    expect(runs).toHaveLength(3);
  });

  it('resolves an addition during a run only when a run that started after it has ended', async () => {
    const { runs, work } = open();
    void work.add('a');
    await tick();
    let isOver = false;
    const late = work.add('a').then(() => {
      isOver = true;
    });
    runs[0]?.finish();
    await tick();
    expect(isOver).toBe(false);
    runs[1]?.finish();
    await late;
  });

  it('retries failed keys with increasing backoff, and not after it is stopped', async () => {
    const { clock, runs, work } = open();
    const added = work.add('a');
    await tick();
    runs[0]?.fail();
    await added;
    clock.advance(99);
    await tick();
    expect(runs).toHaveLength(1);
    clock.advance(101);
    await tick();
    expect(runs).toHaveLength(2);
    runs[1]?.fail();
    await tick();
    work.stop();
    clock.advance(3_600_000);
    await tick();
    expect(runs).toHaveLength(2);
    await work.add('a');
    expect(runs).toHaveLength(2);
  });
});
