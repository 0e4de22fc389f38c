import { followSignal } from '../http/request-end.ts';
import type { Clock } from '../lib/clock.ts';
import type { ActivityLog } from './instance-activity.ts';

interface WakingsOptions {
  readonly activity: Pick<ActivityLog, 'used'>;
  readonly clock: Clock;
}

interface Wanted {
  /** Wakes it, and settles when it is awake. */
  work(signal: AbortSignal): Promise<void>;
  /** Tells that this one waits no more. */
  readonly ending: AbortSignal;
  /** What those hear who waited too long, or come when enough wait already. */
  late(): Error;
}

/** Those who wait for one virtual cluster to wake. */
interface Waking {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  waiting: number;
}

/** How long a request waits for a virtual cluster that it wakes, and how many do; the others come again. */
const longestWait = 10_000;
const mostWaiting = 200;
/** So often a use that goes on is told: oftener than anybody would have an instance fall asleep. */
const againMilliseconds = 1_000;

/** Virtual clusters that are being woken, each once for all who want it, and for as long as somebody does. */
export class Wakings {
  readonly #options: WakingsOptions;
  readonly #wakings = new Map<string, Waking>();

  constructor(options: WakingsOptions) {
    this.#options = options;
  }

  /** Settles when the instance of that uid is awake. */
  async wait(uid: string, { work, ending, late }: Wanted): Promise<void> {
    const waking = this.#wakings.get(uid) ?? this.#begin(uid, work);
    if (waking.waiting >= mostWaiting) throw late();
    waking.waiting += 1;
    let cancel = () => {};
    let letGo = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        waking.done.then(resolve, reject);
        cancel = this.#options.clock.after(longestWait, () => reject(late()));
        letGo = followSignal(ending, reject);
      });
    } finally {
      cancel();
      letGo();
      waking.waiting -= 1;
      if (waking.waiting === 0) waking.stop.abort(late());
    }
  }

  #begin(uid: string, work: Wanted['work']): Waking {
    const stop = new AbortController();
    // It may take its time, and must not fall asleep again over that.
    const stopUsing = goOnUsing(this.#options, uid);
    const done = work(stop.signal).finally(() => {
      this.#wakings.delete(uid);
      stopUsing();
    });
    // Whoever waits hears of it; there may be nobody left.
    done.catch(() => {});
    const waking = { done, stop, waiting: 0 };
    this.#wakings.set(uid, waking);
    return waking;
  }
}

/** Uses it again and again, until the returned function is called. */
export function goOnUsing({ activity, clock }: WakingsOptions, uid: string): () => void {
  let cancel = () => {};
  const again = () => {
    activity.used(uid);
    cancel = clock.after(againMilliseconds, again);
  };
  again();
  return () => cancel();
}
