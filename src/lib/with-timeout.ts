import type { Clock } from './clock.ts';

export interface TimeoutOptions {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** Fires when the caller is no longer interested. Optional. */
  readonly signal?: AbortSignal;
  /** Creates the error to reject with on timeout. */
  timeoutError(): Error;
}

/**
 * Runs a function with a timeout. On timeout the function's signal fires, and the promise rejects at once, even if the
 * function ignores its signal.
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
