/** Delays that double from the first to the longest, with jitter so that many clients do not retry at the same time. */
export interface BackoffOptions {
  readonly initialMilliseconds: number;
  readonly maxMilliseconds: number;
  /** Returns a number from 0 to 1. Optional; tests inject a fixed one. */
  readonly random?: () => number;
}

/** The delay before attempt number `failures + 1`: between half and all of `first * 2^(failures - 1)`. */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  const { initialMilliseconds, maxMilliseconds, random = Math.random } = options;
  const whole = Math.min(maxMilliseconds, initialMilliseconds * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return whole / 2 + (whole / 2) * random();
}
