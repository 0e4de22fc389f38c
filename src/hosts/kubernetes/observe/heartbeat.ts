import { serviceUnavailable } from '../../../api/status.ts';
import type { Clock } from '../../../lib/clock.ts';
import { unlessAborted } from '../../../lib/unless-aborted.ts';
import { wait } from '../../../lib/wait.ts';

export interface HeartbeatOptions {
  /** Sends a request to the host. Rejects if the host does not respond. */
  probe(signal: AbortSignal): Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Waits for the delay before the next probe after a failure. The wait ends early when the signal fires. */
  delay(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Called after each probe with the error, or with `undefined` if the host responded. */
  onResult(failure: unknown): void;
}

const intervalMs = 20_000;
const timeoutMs = 10_000;
const retryIntervalMs = 5_000;

/**
 * Probes a host regularly, to detect that it hangs. The connections to a hanging host stay open, so its watches do not
 * fail and the cache would seem current forever. Resolves after the signal has fired.
 */
export async function runHeartbeat({ probe, clock, signal, delay, onResult }: HeartbeatOptions): Promise<void> {
  let failure: unknown;
  while (!signal.aborted) {
    await (failure === undefined ? wait(clock, intervalMs, signal) : delay(retryIntervalMs, signal));
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
