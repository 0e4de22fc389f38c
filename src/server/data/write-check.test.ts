import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { silentLog } from '../../lib/log.ts';
import { StoreError } from '../../store/store-error.ts';
import { writeHealthCheck } from './write-check.ts';

function bench(isShared = false) {
  const clock = new ManualClock();
  const said: string[] = [];
  const note = (_: object, message: string) => void said.push(message);
  const log: Log = { ...silentLog, error: note, info: note };
  const disk = { asked: 0, good: true, error: new Error('full') };
  const store = {
    isShared,
    async assertWritable() {
      disk.asked++;
      if (!disk.good) throw disk.error;
    },
  };
  return { clock, said, disk, check: writeHealthCheck(store, clock, log) };
}

describe('the check of writes', () => {
  it('names the disk, or a store that several servers share, which it checks every five seconds', async () => {
    expect(bench().check.name).toBe('disk');
    const { clock, disk, check } = bench(true);
    expect(check.name).toBe('store-writes');
    for (const milliseconds of [0, 4_999, 1]) {
      clock.advance(milliseconds);
      await check.check();
    }
    expect(disk.asked).toBe(2);
  });

  it('reports a full store only if no other server uses it, because reads must continue at one of them', async () => {
    for (const isShared of [false, true]) {
      const { disk, said, check } = bench(isShared);
      Object.assign(disk, { good: false, error: new StoreError('OutOfSpace', 'the database is full') });
      const outcome = await Promise.resolve(check.check()).then(
        () => 'passed',
        () => 'failed',
      );
      expect([isShared, outcome]).toEqual([isShared, isShared ? 'passed' : 'failed']);
      expect(said).toEqual(['the store rejects writes; reads still work']);
    }
  });

  it('checks the disk at most once a second', async () => {
    const { clock, disk, check } = bench();
    await Promise.all([check.check(), check.check(), check.check()]);
    clock.advance(999);
    await check.check();
    expect(disk.asked).toBe(1);
    clock.advance(1);
    await check.check();
    expect(disk.asked).toBe(2);
  });

  it('fails while writes are rejected, passes afterwards, and logs each change once', async () => {
    const { clock, disk, check, said } = bench();
    disk.good = false;
    await expect(check.check()).rejects.toThrow('full');
    clock.advance(1_000);
    await expect(check.check()).rejects.toThrow('full');
    disk.good = true;
    clock.advance(1_000);
    await check.check();
    expect(said).toEqual(['the store rejects writes; reads still work', 'the store accepts writes again']);
  });
});
