import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { silentLog } from '../../lib/log.ts';
import { diskHealthCheck } from './disk-check.ts';

function bench() {
  const clock = new ManualClock();
  const said: string[] = [];
  const note = (_: object, message: string) => void said.push(message);
  const log: Log = { ...silentLog, error: note, info: note };
  const disk = { asked: 0, good: true };
  const store = {
    async assertWritable() {
      disk.asked++;
      if (!disk.good) throw new Error('full');
    },
  };
  return { clock, said, disk, check: diskHealthCheck(store, clock, log) };
}

describe('the disk check', () => {
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
