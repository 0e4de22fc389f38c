import type { MessagePort } from 'node:worker_threads';

/** A running thread. */
export interface Thread {
  /** Ends the thread at once, whatever it is doing. Resolves after it has ended. */
  terminate(): Promise<unknown>;
}

/**
 * Starts a thread with this data. `ports` are the message ports that the data contains. Calls `onExit` when the thread
 * has ended. If an error ended the thread, `onExit` gets this error.
 */
export type StartThread<Data> = (
  data: Data,
  ports: readonly MessagePort[],
  onExit: (error: Error | undefined) => void,
) => Thread;
