import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';

describe('the system clock', () => {
  it('calls back once, and not at all after a cancellation', async () => {
    const calls: string[] = [];
    systemClock.after(1, () => calls.push('kept'));
    const cancel = systemClock.after(1, () => calls.push('canceled'));
    cancel();
    cancel();
    const over = new Promise<void>((resolve) => {
      const hold = setTimeout(() => {}, 30_000);
      systemClock.after(20, () => {
        clearTimeout(hold);
        resolve();
      });
    });
    await over;
    expect(calls).toEqual(['kept']);
  });

  it('calls back at an absolute time', async () => {
    const hold = setTimeout(() => {}, 30_000);
    const time = systemClock.now() + 20;
    await new Promise<void>((resolve) => {
      systemClock.at(time, resolve);
    });
    clearTimeout(hold);
    expect(systemClock.now()).toBeGreaterThanOrEqual(time);
  });

  it('keeps no memory of canceled timers, whatever their durations', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heapUsed = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heapUsed();
    for (let each = 0; each < 50_000; each++) systemClock.after(1_800_000 + each, () => {})();
    // If 50,000 canceled timers kept about 230 bytes each, the heap would grow by 11 million bytes.
    expect(heapUsed() - before).toBeLessThan(5_000_000);
  });
});
