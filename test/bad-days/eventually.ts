import { setTimeout as pause } from 'node:timers/promises';

/** Looks until it is so; fails with what was seen last once the time is over. */
export async function eventually<T>(
  seconds: number,
  look: () => T | Promise<T>,
  isSo: (seen: T) => boolean,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > end) throw new Error(`not within ${seconds} s; last seen: ${JSON.stringify(seen)}`);
    await pause(100);
  }
}
