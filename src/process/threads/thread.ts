import type { MessagePort } from 'node:worker_threads';

/** A running thread. */
export interface Thread {
  /** Ends the thread at once, whatever it is doing. Resolves after it has ended. */
  terminate(): Promise<unknown>;
}

/**
 * Starts a thread with this data. `ports` are the message ports in the data. Calls `onExit` when the thread has ended, with
 * the error that ended it, if any.
 */
export type StartThread<Data> = (
  data: Data,
  ports: readonly MessagePort[],
  onExit: (error: Error | undefined) => void,
) => Thread;
