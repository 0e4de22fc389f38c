import type { MessagePort } from 'node:worker_threads';
import type { StartThread, Thread } from './thread.ts';
import { ThreadActivity } from './thread-activity.ts';
import { Watchdog } from './watchdog.ts';

export interface WatchedThreadOptions<Data> {
  readonly startThread: StartThread<Data>;
  /** Returns the data of the thread. It must contain `activity`, the memory in which the thread reports its activity. */
  createData(activity: SharedArrayBuffer): Data;
  /** The message ports in the data. */
  readonly ports: readonly MessagePort[];
  /** If the thread does not return to its event loop for this time, it is ended. */
  readonly stallSeconds: number;
  /** Called once, after the thread has ended for any reason. */
  onEnd(end: ThreadEnd): void;
  /** Called with the task of a thread that has used half a second of CPU time without returning to its event loop. Optional. */
  onBusy?(task: string): void;
  /**
   * Called when the thread has returned to its event loop after a call of `onBusy`. Not called if the thread ends
   * instead. Optional.
   */
  onReturn?(): void;
}

/** Describes the end of a thread. */
export interface ThreadEnd {
  /** True if the watchdog has ended the thread. */
  readonly isStalled: boolean;
  /** The error that ended the thread, if any. */
  readonly error: Error | undefined;
  /** The last task that the thread began; empty if the thread began no task. */
  readonly task: string;
}

/** Starts a thread and watches it until it ends. */
export function startWatchedThread<Data>(options: WatchedThreadOptions<Data>): Thread {
  const memory = ThreadActivity.newMemory();
  const activity = new ThreadActivity(memory);
  let isStalled = false;
  let watchdog: Watchdog | undefined;
  const thread = options.startThread(options.createData(memory), options.ports, (error) => {
    watchdog?.stop();
    options.onEnd({ isStalled, error, task: activity.task });
  });
  watchdog = new Watchdog({
    activity,
    stallSeconds: options.stallSeconds,
    onStall() {
      isStalled = true;
      void thread.terminate();
    },
    onBusy: () => options.onBusy?.(activity.task),
    onReturn: () => options.onReturn?.(),
  });
  return {
    terminate() {
      watchdog.stop();
      return thread.terminate();
    },
  };
}
