import { setTimeout as pause } from 'node:timers/promises';

/** Polls until the condition holds. Throws with the last value after the timeout. */
export async function eventually<T>(
  seconds: number,
  poll: () => T | Promise<T>,
  condition: (seen: T) => boolean,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const seen = await poll();
    if (condition(seen)) return seen;
    if (performance.now() > end)
      throw new Error(`condition not met within ${seconds} s; last value: ${JSON.stringify(seen)}`);
    await pause(100);
  }
}
