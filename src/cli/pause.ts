import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, and keeps the program alive meanwhile. Rejects with the signal's reason when it fires. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
