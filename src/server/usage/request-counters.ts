import type { Clock } from '../../lib/clock.ts';

/** The requests to an instance in an interval. */
export interface RequestCounts {
  readonly requests: number;
  /** The total time for which watches were open, in seconds. */
  readonly watchSeconds: number;
}

interface Counter {
  requests: number;
  watches: number;
  watchMs: number;
  /** The time up to which `watchMs` is counted. */
  since: number;
}

/** Counts the requests to each instance at this server, and how long watches are open. */
export class RequestCounters {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #counters = new Map<string, Counter>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** Counts a request. Returns the function to call at the end of a watch; `undefined` for other requests. */
  count(uid: string, isWatch: boolean): (() => void) | undefined {
    const counter = this.#counterOf(uid);
    counter.requests += 1;
    if (!isWatch) return undefined;
    this.#changeWatches(counter, 1);
    // Can use `counter` here, because `take` removes no counter with an open watch.
    return () => this.#changeWatches(counter, -1);
  }

  /** Returns the counts since the last call, without instances that have none, and resets the counts. */
  take(): Map<string, RequestCounts> {
    const taken = new Map<string, RequestCounts>();
    for (const [uid, counter] of this.#counters) {
      this.#changeWatches(counter, 0);
      const { requests, watchMs } = counter;
      if (requests > 0 || watchMs > 0) taken.set(uid, { requests, watchSeconds: watchMs / 1000 });
      counter.requests = 0;
      counter.watchMs = 0;
      if (counter.watches === 0) this.#counters.delete(uid);
    }
    return taken;
  }

  #counterOf(uid: string): Counter {
    const known = this.#counters.get(uid);
    if (known !== undefined) return known;
    const counter: Counter = { requests: 0, watches: 0, watchMs: 0, since: this.#clock.elapsed() };
    this.#counters.set(uid, counter);
    return counter;
  }

  #changeWatches(counter: Counter, change: 1 | 0 | -1): void {
    const now = this.#clock.elapsed();
    counter.watchMs += counter.watches * (now - counter.since);
    counter.since = now;
    counter.watches += change;
  }
}
