import type { Clock } from './clock.ts';

export interface TimeoutOptions {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** If this signal is aborted, the function is canceled. Optional. */
  readonly signal?: AbortSignal;
  /** Creates the error with which the promise rejects on a timeout. */
  timeoutError(): Error;
}

/**
 * Runs a function with a timeout. On a timeout, aborts the signal that the function received and rejects immediately,
 * even if the function ignores its signal.
 */
export async function withTimeout<T>(options: TimeoutOptions, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, milliseconds, signal, timeoutError } = options;
  signal?.throwIfAborted();
  const ending = new AbortController();
  return await new Promise<T>((resolve, reject) => {
    const end = (reason: unknown) => {
      reject(reason);
      ending.abort(reason);
    };
    const cancel = clock.after(milliseconds, () => end(timeoutError()));
    const onAbort = () => end(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    run(ending.signal)
      .then(resolve, reject)
      .finally(() => {
        cancel();
        signal?.removeEventListener('abort', onAbort);
      });
  });
}
