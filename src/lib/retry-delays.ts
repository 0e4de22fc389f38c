import type { Clock } from './clock.ts';
import { wait } from './wait.ts';

/** Delays before retries. `end` ends all current delays early. It is called when a retry is likely to succeed. */
export class RetryDelays {
  readonly #clock: Clock;
  readonly #delays = new Set<AbortController>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after the given time, or earlier if `end` is called or the signal fires. Never rejects. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const delay = new AbortController();
    this.#delays.add(delay);
    await wait(this.#clock, milliseconds, AbortSignal.any([signal, delay.signal]));
    this.#delays.delete(delay);
  }

  /** Ends all delays that have begun. */
  end(): void {
    for (const delay of this.#delays) delay.abort();
  }
}
