import { onAbort } from '../http/request/request-end.ts';
import type { Clock } from '../lib/clock.ts';
import type { ActivityLog } from './instance-activity.ts';

interface WakingsOptions {
  readonly activity: ActivityLog;
  readonly clock: Clock;
}

interface WakeRequest {
  /** Wakes the virtual cluster; resolves when it is awake. */
  work(signal: AbortSignal): Promise<void>;
  /** Fires when this request no longer waits. */
  readonly ending: AbortSignal;
  /** The error for a request that waited too long or exceeds the number of waiters. */
  late(): Error;
}

/** A wake in progress that one or more requests wait for. */
interface PendingWake {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * The limits on the time and number of requests that wait for one virtual cluster to wake; other clients must retry.
 */
const waitTimeoutMs = 10_000;
const maxWaiting = 200;
/** The interval at which a continuing use is recorded; shorter than any reasonable auto-sleep delay. */
const useIntervalMs = 1_000;

/** Wakes each virtual cluster once for all requests that need it, and aborts when no request waits any more. */
export class WakeCoalescer {
  readonly #options: WakingsOptions;
  readonly #pending = new Map<string, PendingWake>();

  constructor(options: WakingsOptions) {
    this.#options = options;
  }

  /** Resolves when the instance with this uid is awake. */
  async wait(uid: string, { work, ending, late }: WakeRequest): Promise<void> {
    const pending = this.#pending.get(uid) ?? this.#begin(uid, work);
    if (pending.waiting >= maxWaiting) throw late();
    pending.waiting += 1;
    let cancel = () => {};
    let unfollow = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        pending.done.then(resolve, reject);
        cancel = this.#options.clock.after(waitTimeoutMs, () => reject(late()));
        unfollow = onAbort(ending, reject);
      });
    } finally {
      cancel();
      unfollow();
      pending.waiting -= 1;
      if (pending.waiting === 0) pending.stop.abort(late());
    }
  }

  #begin(uid: string, work: WakeRequest['work']): PendingWake {
    const stop = new AbortController();
    // Waking may take long, and the instance must not fall asleep again meanwhile.
    const stopUsing = recordUseRepeatedly(this.#options, uid);
    const done = work(stop.signal).finally(() => {
      this.#pending.delete(uid);
      stopUsing();
    });
    // Waiting requests see the error; there may be none left.
    done.catch(() => {});
    const pending = { done, stop, waiting: 0 };
    this.#pending.set(uid, pending);
    return pending;
  }
}

/** Records a use repeatedly until the returned function is called. */
export function recordUseRepeatedly({ activity, clock }: WakingsOptions, uid: string): () => void {
  let cancel = () => {};
  const record = () => {
    activity.recordUse(uid);
    cancel = clock.after(useIntervalMs, record);
  };
  record();
  return () => cancel();
}
