import { type BackoffOptions, backoffDelay } from '../../../lib/backoff.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { HostLocation } from '../../host.ts';

export interface ProbeCacheOptions<Result> {
  /** Probes the virtual cluster at this location. Must not reject. */
  probe(location: HostLocation, signal: AbortSignal): Promise<Result>;
  /** True if the result cannot change, so that the probe need not be repeated. */
  isFinal(result: Result): boolean;
  readonly retry: BackoffOptions;
  readonly clock: Clock;
  /** Called if a repeated probe returns a different result. */
  onChange(location: HostLocation): void;
}

interface Entry<Result> {
  /** Identifies the state that was probed, for example by the uids of the pods. Each new subject needs a new probe. */
  readonly subject: string;
  pending: Promise<Result> | undefined;
  result: Result | undefined;
  attempts: number;
  cancel: () => void;
}

/**
 * Caches the results of probes of virtual clusters. One probe is sent per virtual cluster and subject. The probe is
 * repeated with backoff until its result is final.
 */
export class ProbeCache<Result> {
  readonly #options: ProbeCacheOptions<Result>;
  readonly #entries = new Map<string, Entry<Result>>();
  readonly #stopping = new AbortController();

  constructor(options: ProbeCacheOptions<Result>) {
    this.#options = options;
  }

  /** Returns the last result for this subject. If there is none, sends a probe and waits for its result. */
  async get(location: HostLocation, subject: string): Promise<Result> {
    const key = keyOf(location);
    let entry = this.#entries.get(key);
    if (entry?.subject !== subject) {
      entry?.cancel();
      entry = { subject, pending: undefined, result: undefined, attempts: 0, cancel() {} };
      this.#entries.set(key, entry);
    }
    if (entry.result !== undefined) return entry.result;
    entry.pending ??= this.#probe(location, entry);
    return await entry.pending;
  }

  peek(location: HostLocation): Result | undefined {
    return this.#entries.get(keyOf(location))?.result;
  }

  /** Removes the cached result and stops repeating the probe, because the virtual cluster has changed or is gone. */
  forget(location: HostLocation): void {
    this.#entries.get(keyOf(location))?.cancel();
    this.#entries.delete(keyOf(location));
  }

  /** Calls `forget` for all virtual clusters. */
  forgetAll(): void {
    for (const { cancel } of this.#entries.values()) cancel();
    this.#entries.clear();
  }

  close(): void {
    this.#stopping.abort();
    this.forgetAll();
  }

  async #probe(location: HostLocation, entry: Entry<Result>): Promise<Result> {
    const { probe, isFinal, retry, clock, onChange } = this.#options;
    const before = entry.result;
    const result = await probe(location, this.#stopping.signal);
    entry.result = result;
    entry.attempts += 1;
    if (this.#entries.get(keyOf(location)) !== entry) return result;
    if (!isFinal(result)) {
      entry.cancel = clock.after(backoffDelay(entry.attempts, retry), () => void this.#probe(location, entry));
    }
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(result)) onChange(location);
    return result;
  }
}

function keyOf({ namespace, name }: HostLocation): string {
  return `${namespace}/${name}`;
}
