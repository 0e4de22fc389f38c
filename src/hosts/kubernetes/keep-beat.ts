import { serviceUnavailable } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { wait } from '../../lib/wait.ts';

export interface BeatOptions {
  /** Rejects where the host does not answer. */
  ask(signal: AbortSignal): Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** After each question: undefined, or why it was not answered. */
  onState(failure: unknown): void;
}

const betweenMilliseconds = 20_000;
const patienceMilliseconds = 10_000;
const againMilliseconds = 5_000;

/**
 * Notices a host that hangs: its connections stand, so no watch breaks, and what was heard last would count for ever.
 * Settles when the signal has fired.
 */
export async function keepBeat({ ask, clock, signal, onState }: BeatOptions): Promise<void> {
  let failure: unknown;
  while (!signal.aborted) {
    await wait(clock, failure === undefined ? betweenMilliseconds : againMilliseconds, signal);
    if (signal.aborted) return;
    const late = new AbortController();
    const words = `the cluster has not answered within ${patienceMilliseconds / 1_000} seconds`;
    const cancel = clock.after(patienceMilliseconds, () => late.abort(serviceUnavailable(words)));
    const given = AbortSignal.any([signal, late.signal]);
    try {
      await unlessAborted(ask(given), given);
      failure = undefined;
    } catch (error) {
      failure = error;
    } finally {
      cancel();
    }
    if (!signal.aborted) onState(failure);
  }
}
