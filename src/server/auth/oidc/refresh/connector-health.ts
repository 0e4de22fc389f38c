import { backoffDelay } from '../../../../lib/backoff.ts';
import type { Clock } from '../../../../lib/clock.ts';

/**
 * The number of consecutive failures after which a provider counts as down. It is more than one, because a single
 * failure can concern a single person.
 */
const failuresUntilDown = 3;
const backoff = { initialMilliseconds: 10_000, maxMilliseconds: 5 * 60_000 };

/** Remembers which providers are down, so that a provider that recovers does not get one request per person at once. */
export class ConnectorHealth {
  readonly #clock: Clock;
  readonly #failures = new Map<string, { count: number; downUntil: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the number of milliseconds until requests to the provider may resume; 0 if the provider is not down. */
  pauseOf(connector: string): number {
    return Math.max(0, (this.#failures.get(connector)?.downUntil ?? 0) - this.#clock.elapsed());
  }

  recordSuccess(connector: string): void {
    this.#failures.delete(connector);
  }

  recordFailure(connector: string): void {
    const count = (this.#failures.get(connector)?.count ?? 0) + 1;
    const isDown = count >= failuresUntilDown;
    const pause = isDown ? backoffDelay(count - failuresUntilDown + 1, backoff) : 0;
    this.#failures.set(connector, { count, downUntil: this.#clock.elapsed() + pause });
  }
}
