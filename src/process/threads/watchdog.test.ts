import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ThreadActivity } from './thread-activity.ts';
import { Watchdog } from './watchdog.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Watches a thread whose activity the test controls. The thread gets the share `cpuShare` of the time of one processor.
 */
function watch(stallSeconds: number, cpuShare = 1) {
  const memory = ThreadActivity.newMemory();
  const thread = new ThreadActivity(memory);
  let stalls = 0;
  const reports: string[] = [];
  const watchdog = new Watchdog({
    activity: {
      get beat() {
        return thread.beat;
      },
      get cpuSeconds() {
        return (cpuShare * Date.now()) / 1000;
      },
    },
    stallSeconds,
    onStall: () => {
      stalls += 1;
    },
    onBusy: () => reports.push('busy'),
    onReturn: () => reports.push('returned'),
  });
  return { thread, watchdog, stalls: () => stalls, reports };
}

describe('the watchdog of a thread', () => {
  it('reports a thread once that no longer returns to its event loop', () => {
    const { thread, stalls } = watch(2);
    const stop = thread.startHeartbeat();
    vi.advanceTimersByTime(20_000);
    expect(stalls()).toBe(0);
    stop();
    vi.advanceTimersByTime(1_500);
    expect(stalls()).toBe(0);
    vi.advanceTimersByTime(20_000);
    expect(stalls()).toBe(1);
  });

  it('reports a thread that is stuck from its first message on', () => {
    const { thread, stalls } = watch(2);
    thread.startHeartbeat()();
    vi.advanceTimersByTime(3_000);
    expect(stalls()).toBe(1);
  });

  it('does not report a thread that has many tasks to do before it returns to its event loop', () => {
    const { thread, stalls } = watch(2);
    thread.startHeartbeat()();
    for (let task = 0; task < 10; task++) {
      thread.setTask('same');
      vi.advanceTimersByTime(1_500);
    }
    expect(stalls()).toBe(0);
  });

  it('waits longer for a thread that gets little CPU time', () => {
    const { thread, stalls } = watch(2, 0.1);
    thread.startHeartbeat()();
    vi.advanceTimersByTime(5_500);
    expect(stalls()).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(stalls()).toBe(1);
  });

  it('reports a thread that gets little CPU time as soon as it has used too much', () => {
    const { thread, stalls } = watch(2, 0.25);
    thread.startHeartbeat()();
    vi.advanceTimersByTime(4_000);
    expect(stalls()).toBe(0);
    vi.advanceTimersByTime(750);
    expect(stalls()).toBe(1);
  });

  it('does not report a thread that continues after it got no CPU time', () => {
    const { thread, stalls } = watch(2, 0);
    thread.startHeartbeat()();
    vi.advanceTimersByTime(5_000);
    thread.startHeartbeat();
    vi.advanceTimersByTime(20_000);
    expect(stalls()).toBe(0);
  });

  it('gives a new thread a minute to load its code', () => {
    const { stalls } = watch(2);
    vi.advanceTimersByTime(59_000);
    expect(stalls()).toBe(0);
    vi.advanceTimersByTime(2_000);
    expect(stalls()).toBe(1);
  });

  it('reports long work once before it can stall, and its end, but neither short work nor the start', () => {
    const { thread, reports } = watch(2);
    vi.advanceTimersByTime(10_000);
    const stop = thread.startHeartbeat();
    vi.advanceTimersByTime(5_000);
    expect(reports).toEqual([]);
    stop();
    vi.advanceTimersByTime(500);
    expect(reports).toEqual([]);
    vi.advanceTimersByTime(500);
    expect(reports).toEqual(['busy']);
    vi.advanceTimersByTime(500);
    thread.startHeartbeat();
    vi.advanceTimersByTime(1_000);
    expect(reports).toEqual(['busy', 'returned']);
  });

  it('reports no long work of a thread that waits for a processor', () => {
    const { thread, reports } = watch(2, 0.1);
    thread.startHeartbeat()();
    vi.advanceTimersByTime(4_000);
    expect(reports).toEqual([]);
    vi.advanceTimersByTime(1_500);
    expect(reports).toEqual(['busy']);
  });

  it('is quiet after it was stopped', () => {
    const { watchdog, stalls } = watch(2);
    watchdog.stop();
    vi.advanceTimersByTime(100_000);
    expect(stalls()).toBe(0);
  });
});

it('the activity of a thread names its latest task', () => {
  const memory = ThreadActivity.newMemory();
  const [thread, reader] = [new ThreadActivity(memory), new ThreadActivity(memory)];
  expect(reader.task).toBe('');
  thread.setTask('vc-1234');
  expect(reader.task).toBe('vc-1234');
  thread.setTask('x'.repeat(500));
  expect(reader.task).toBe('x'.repeat(120));
  thread.setTask('y');
  expect(reader.task).toBe('y');
});
