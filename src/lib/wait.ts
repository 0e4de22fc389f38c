import type { Clock } from './clock.ts';

/**
 * Resolves after the given time, or earlier if `signal` is aborted. Never rejects, so the caller must check `signal`.
 */
export function wait(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(milliseconds, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}
