import { setTimeout as sleep } from 'node:timers/promises';

/** Waits and keeps the process alive. Rejects with the reason of `signal` when it aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
