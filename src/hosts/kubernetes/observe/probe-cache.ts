import { type BackoffOptions, backoffDelay } from '../../../lib/backoff.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { HostLocation } from '../../host.ts';

export interface ProbeCacheOptions<Result> {
  /** Never rejects. */
  probe(place: HostLocation, signal: AbortSignal): Promise<Result>;
  /** True if the result cannot change any more. */
  isFinal(answer: Result): boolean;
  readonly retry: BackoffOptions;
  readonly clock: Clock;
  /** Called when a repeated probe gives a different result. */
  onChange(place: HostLocation): void;
}

interface Entry<Result> {
  /** The state that the result applies to; a different state needs a new probe. */
  readonly subject: string;
  pending: Promise<Result> | undefined;
  answer: Result | undefined;
  attempts: number;
  cancel: () => void;
}

/**
 * Caches the results of probes of virtual clusters, for state that no watch reports. Each probe runs once as long as
 * its subject is unchanged, and repeats with backoff while the result is not final.
 */
export class ProbeCache<Result> {
  readonly #options: ProbeCacheOptions<Result>;
  readonly #entries = new Map<string, Entry<Result>>();
  readonly #stopping = new AbortController();

  constructor(options: ProbeCacheOptions<Result>) {
    this.#options = options;
  }

  /** Returns the last result; waits for the first one. */
  async get(place: HostLocation, subject: string): Promise<Result> {
    const key = keyOf(place);
    let entry = this.#entries.get(key);
    if (entry?.subject !== subject) {
      entry?.cancel();
      entry = { subject, pending: undefined, answer: undefined, attempts: 0, cancel() {} };
      this.#entries.set(key, entry);
    }
    if (entry.answer !== undefined) return entry.answer;
    entry.pending ??= this.#ask(place, entry);
    return await entry.pending;
  }

  peek(place: HostLocation): Result | undefined {
    return this.#entries.get(keyOf(place))?.answer;
  }

  /** Drops the result because the virtual cluster has changed or is gone. */
  forget(place: HostLocation): void {
    this.#entries.get(keyOf(place))?.cancel();
    this.#entries.delete(keyOf(place));
  }

  close(): void {
    this.#stopping.abort();
    for (const { cancel } of this.#entries.values()) cancel();
    this.#entries.clear();
  }

  async #ask(place: HostLocation, entry: Entry<Result>): Promise<Result> {
    const { probe, isFinal, retry, clock, onChange } = this.#options;
    const before = entry.answer;
    const answer = await probe(place, this.#stopping.signal);
    entry.answer = answer;
    entry.attempts += 1;
    if (this.#entries.get(keyOf(place)) !== entry) return answer;
    if (!isFinal(answer)) {
      entry.cancel = clock.after(backoffDelay(entry.attempts, retry), () => void this.#ask(place, entry));
    }
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(answer)) onChange(place);
    return answer;
  }
}

function keyOf({ namespace, name }: HostLocation): string {
  return `${namespace}/${name}`;
}
