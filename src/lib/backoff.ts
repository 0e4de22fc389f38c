/** Waits that double from `first` to `longest`, with jitter so that many waiters do not come back at once. */
export interface BackoffOptions {
  readonly firstMilliseconds: number;
  readonly longestMilliseconds: number;
  /** 0 to 1; the injected one makes tests exact. */
  readonly random?: () => number;
}

/** The wait before try number `failures + 1`: between half and the whole of `first * 2^(failures - 1)`. */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  const { firstMilliseconds, longestMilliseconds, random = Math.random } = options;
  const whole = Math.min(longestMilliseconds, firstMilliseconds * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return whole / 2 + (whole / 2) * random();
}
