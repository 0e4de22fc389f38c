import type { Clock } from './clock.ts';

export interface WithinOptions {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** Whoever waits is not interested any more. Absent: they are until the time is over. */
  readonly signal?: AbortSignal;
  /** What it rejects with when the time is over. */
  late(): Error;
}

/**
 * Waits for what `run` does, and no longer than given: its signal fires then, and the answer is not waited for even
 * where it does not heed that.
 */
export async function within<T>(options: WithinOptions, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, milliseconds, signal, late } = options;
  signal?.throwIfAborted();
  const ending = new AbortController();
  return await new Promise<T>((resolve, reject) => {
    const end = (reason: unknown) => {
      reject(reason);
      ending.abort(reason);
    };
    const cancel = clock.after(milliseconds, () => end(late()));
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
