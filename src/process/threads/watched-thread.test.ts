import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ThreadActivity } from './thread-activity.ts';
import { startWatchedThread, type ThreadEnd } from './watched-thread.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts a thread that the test controls. */
function start() {
  const ends: ThreadEnd[] = [];
  const started: { readonly activity: ThreadActivity; exit(error: Error): void }[] = [];
  const thread = startWatchedThread<SharedArrayBuffer>({
    createData: (memory) => memory,
    ports: [],
    stallSeconds: 2,
    startThread(memory, _ports, onExit) {
      started.push({ activity: new ThreadActivity(memory), exit: onExit });
      return { terminate: async () => onExit(undefined) };
    },
    onEnd: (end) => ends.push(end),
  });
  const [controls] = started;
  if (controls === undefined) throw new Error('the thread was not started');
  return { ends, thread, ...controls };
}

describe('a watched thread', () => {
  it('is ended when it stalls, and its last task is reported', () => {
    const { ends, activity } = start();
    activity.startHeartbeat()();
    activity.setTask('vc-1');
    vi.advanceTimersByTime(7_000);
    expect(ends).toEqual([{ isStalled: true, error: undefined, task: 'vc-1' }]);
  });

  it('reports the error that ended it, and is watched no longer', () => {
    const { ends, exit } = start();
    const error = new Error('out of memory');
    exit(error);
    vi.advanceTimersByTime(100_000);
    expect(ends).toEqual([{ isStalled: false, error, task: '' }]);
  });

  it('that is terminated did not stall', async () => {
    const { ends, thread } = start();
    await thread.terminate();
    vi.advanceTimersByTime(100_000);
    expect(ends).toEqual([{ isStalled: false, error: undefined, task: '' }]);
  });
});
