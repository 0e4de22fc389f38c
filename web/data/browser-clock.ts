import type { Clock } from '../../src/lib/clock.ts';

/** The longest timeout in milliseconds that browsers support. In a browser, a longer timeout ends immediately. */
const maxTimeoutMs = 2_147_483_647;

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), maxTimeoutMs));
  return () => clearTimeout(timer);
}

/** The clock that browser pages use. */
export const browserClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after,
  at: (time, callback) => after(time - Date.now(), callback),
};
