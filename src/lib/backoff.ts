/**
 * Delays that double from the initial to the maximum, with jitter so that many clients do not retry at the same time.
 */
export interface BackoffOptions {
  readonly initialMilliseconds: number;
  readonly maxMilliseconds: number;
  /** Returns a number from 0 to 1. Optional; defaults to `Math.random`. */
  readonly random?: () => number;
}

/**
 * Returns the delay after a number of consecutive failures. It is random, between half and all of
 * `initialMilliseconds * 2^(failures - 1)`, and at most `maxMilliseconds`.
 */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  const { initialMilliseconds, maxMilliseconds, random = Math.random } = options;
  const whole = Math.min(maxMilliseconds, initialMilliseconds * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return whole / 2 + (whole / 2) * random();
}
