import { onAbort } from '../http/request/request-end.ts';
import type { Clock } from '../lib/clock.ts';
import type { ActivityLog } from './instance-activity.ts';

interface WakeCoalescerOptions {
  readonly activity: ActivityLog;
  readonly clock: Clock;
}

interface WakeRequest {
  /** Wakes the virtual cluster, and resolves when it is usable. */
  work(signal: AbortSignal): Promise<void>;
  /** Fires when the client of this request no longer waits. */
  readonly ending: AbortSignal;
  /** Returns the error for a request that waited too long, or that arrives when `maxWaiting` requests already wait. */
  timeoutError(): Error;
}

/** A wake call in progress, for which one or more requests wait. */
interface PendingWake {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * The maximum time that a request waits for a virtual cluster to wake, and the maximum number of requests that wait for
 * the same virtual cluster. Requests beyond these limits get an error and must retry.
 */
const waitTimeoutMs = 10_000;
const maxWaiting = 200;
/** Interval at which a long use is recorded. It is shorter than any reasonable delay of auto-sleep. */
const useIntervalMs = 1_000;

/**
 * Wakes a virtual cluster once for all requests that wait for it. Aborts the wake call if no request waits any longer.
 */
export class WakeCoalescer {
  readonly #options: WakeCoalescerOptions;
  readonly #pending = new Map<string, PendingWake>();

  constructor(options: WakeCoalescerOptions) {
    this.#options = options;
  }

  /** Resolves when the instance with this uid is awake. Rejects with `timeoutError` after ten seconds. */
  async wait(uid: string, { work, ending, timeoutError }: WakeRequest): Promise<void> {
    const pending = this.#pending.get(uid) ?? this.#begin(uid, work);
    if (pending.waiting >= maxWaiting) throw timeoutError();
    pending.waiting += 1;
    let cancel = () => {};
    let unfollow = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        pending.done.then(resolve, reject);
        cancel = this.#options.clock.after(waitTimeoutMs, () => reject(timeoutError()));
        unfollow = onAbort(ending, reject);
      });
    } finally {
      cancel();
      unfollow();
      pending.waiting -= 1;
      if (pending.waiting === 0) pending.stop.abort(timeoutError());
    }
  }

  #begin(uid: string, work: WakeRequest['work']): PendingWake {
    const stop = new AbortController();
    // Waking may take long. Recording uses in the meantime prevents auto-sleep from putting the instance back to sleep.
    const stopUsing = recordUseRepeatedly(this.#options, uid);
    const done = work(stop.signal).finally(() => {
      this.#pending.delete(uid);
      stopUsing();
    });
    // The waiting requests handle the error. If none is waiting any longer, it must not become an unhandled rejection.
    done.catch(() => {});
    const pending = { done, stop, waiting: 0 };
    this.#pending.set(uid, pending);
    return pending;
  }
}

/** Records a use of the instance every second until the returned function is called. */
export function recordUseRepeatedly({ activity, clock }: WakeCoalescerOptions, uid: string): () => void {
  let cancel = () => {};
  const record = () => {
    activity.recordUse(uid);
    cancel = clock.after(useIntervalMs, record);
  };
  record();
  return () => cancel();
}
