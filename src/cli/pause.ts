import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the given time and keeps the process alive. Rejects with `signal.reason` if `signal` is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
