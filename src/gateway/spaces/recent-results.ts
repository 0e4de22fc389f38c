import type { Clock } from '../../lib/clock.ts';

/** The maximum number of results. The oldest one is removed first. */
const maxResults = 10_000;

interface RecentResult<Value> {
  readonly value: Promise<Value>;
  readonly at: number;
}

/** Caches the results of an asynchronous function for a short time. Concurrent callers share one call. */
export class RecentResults<Value> {
  readonly #results = new Map<string, RecentResult<Value>>();
  readonly #milliseconds: number;
  readonly #clock: Clock;

  constructor(milliseconds: number, clock: Clock) {
    this.#milliseconds = milliseconds;
    this.#clock = clock;
  }

  /** Returns the recent result for the key, or calls `load`. A rejected call is not cached. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const now = this.#clock.elapsed();
    const known = this.#results.get(key);
    if (known !== undefined && now - known.at < this.#milliseconds) return known.value;
    const result = { value: load(), at: now };
    this.#results.delete(key);
    this.#results.set(key, result);
    result.value.catch(() => {
      if (this.#results.get(key) === result) this.#results.delete(key);
    });
    const [oldest] = this.#results.keys();
    if (this.#results.size > maxResults && oldest !== undefined) this.#results.delete(oldest);
    return result.value;
  }

  forget(key: string): void {
    this.#results.delete(key);
  }
}
