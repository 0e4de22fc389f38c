import { serviceUnavailable } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { unlessAborted } from '../../../lib/unless-aborted.ts';
import { wait } from '../../../lib/wait.ts';

export interface HeartbeatOptions {
  /** Rejects if the host does not respond. */
  probe(signal: AbortSignal): Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called after each probe with `undefined` or the error. */
  onResult(failure: unknown): void;
}

const intervalMs = 20_000;
const timeoutMs = 10_000;
const retryIntervalMs = 5_000;

/**
 * Detects a host that hangs: its connections stay open, so no watch breaks and the cached state would be used forever.
 * Resolves when the signal has fired.
 */
export async function runHeartbeat({ probe, clock, signal, onResult }: HeartbeatOptions): Promise<void> {
  let failure: unknown;
  while (!signal.aborted) {
    await wait(clock, failure === undefined ? intervalMs : retryIntervalMs, signal);
    if (signal.aborted) return;
    const timeout = new AbortController();
    const message = `the cluster did not respond within ${timeoutMs / 1_000} seconds`;
    const cancel = clock.after(timeoutMs, () => timeout.abort(serviceUnavailable(message)));
    const combined = AbortSignal.any([signal, timeout.signal]);
    try {
      await unlessAborted(probe(combined), combined);
      failure = undefined;
    } catch (error) {
      failure = error;
    } finally {
      cancel();
    }
    if (!signal.aborted) onResult(failure);
  }
}
