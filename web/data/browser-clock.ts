import type { Clock } from '../../src/lib/clock.ts';

/** Browsers cut longer timers to nothing. */
const longest = 2_147_483_647;

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), longest));
  return () => clearTimeout(timer);
}

/** The time as a page sees it. */
export const browserClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after,
  at: (time, callback) => after(time - Date.now(), callback),
};
