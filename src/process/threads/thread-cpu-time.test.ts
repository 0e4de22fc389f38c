import { describe, expect, it } from 'vitest';
import { nativeThreadId, threadCpuSeconds } from './thread-cpu-time.ts';

/** Computes until the process has used this much CPU time. */
function compute(seconds: number): void {
  const usedSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  };
  const end = usedSeconds() + seconds;
  while (usedSeconds() < end);
}

describe('the CPU time of a thread', () => {
  it.skipIf(process.platform !== 'linux')('is known on Linux, and grows while it computes', () => {
    const id = nativeThreadId();
    expect(id).toBeGreaterThan(0);
    const before = threadCpuSeconds(id);
    compute(0.2);
    const used = threadCpuSeconds(id) - before;
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual(1);
  });

  it('is that of the process if the thread is not known', () => {
    for (const id of [0, 2 ** 30]) {
      const before = threadCpuSeconds(id);
      compute(0.05);
      expect(threadCpuSeconds(id) - before).toBeGreaterThanOrEqual(0.05);
    }
  });
});
