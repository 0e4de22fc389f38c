import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { KeyedWork } from './keyed-work.ts';

interface Run {
  readonly key: string;
  finish(): void;
  fail(): void;
}

function open() {
  const clock = new ManualClock();
  const runs: Run[] = [];
  const work = new KeyedWork({
    name: 'it',
    clock,
    log: silentLog,
    work: (key) =>
      new Promise((resolve, reject) => runs.push({ key, finish: resolve, fail: () => reject(new Error('no')) })),
  });
  return { clock, runs, work };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('work by key', () => {
  it('runs a key once at a time, and once more for all who named it meanwhile', async () => {
    const { runs, work } = open();
    const first = work.add('a');
    await turn();
    const later = [work.add('a'), work.add('a'), work.add('a')];
    const other = work.add('b');
    await turn();
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b']);
    runs[0]?.finish();
    await first;
    await turn();
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b', 'a']);
    runs[1]?.finish();
    runs[2]?.finish();
    await Promise.all([...later, other]);
    expect(runs).toHaveLength(3);
  });

  it('resolves for those who came late only when a run that they could not have missed is over', async () => {
    const { runs, work } = open();
    void work.add('a');
    await turn();
    let isOver = false;
    const late = work.add('a').then(() => {
      isOver = true;
    });
    runs[0]?.finish();
    await turn();
    expect(isOver).toBe(false);
    runs[1]?.finish();
    await late;
  });

  it('tries again what failed, later and later, and not once it is stopped', async () => {
    const { clock, runs, work } = open();
    const added = work.add('a');
    await turn();
    runs[0]?.fail();
    await added;
    clock.advance(99);
    await turn();
    expect(runs).toHaveLength(1);
    clock.advance(101);
    await turn();
    expect(runs).toHaveLength(2);
    runs[1]?.fail();
    await turn();
    work.stop();
    clock.advance(3_600_000);
    await turn();
    expect(runs).toHaveLength(2);
    await work.add('a');
    expect(runs).toHaveLength(2);
  });
});
