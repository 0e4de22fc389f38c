import type { Clock } from '../../lib/clock.ts';

/**
 * The maximum clock difference that is not corrected. Responses take time, and the server tolerates larger differences.
 */
const toleratedMs = 10_000;

/**
 * Estimates the time of the server. The server accepts only recent proofs, and the clock of a machine that nobody can
 * connect to is often wrong.
 */
export class ServerTime {
  readonly #clock: Pick<Clock, 'now'>;
  #offset = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns the time of the server in milliseconds since the epoch. */
  now(): number {
    return this.#clock.now() + this.#offset;
  }

  /** Corrects the time with the header `date` of a response. Returns true if the time has changed. */
  observe(date: string | undefined): boolean {
    const sent = Date.parse(date ?? '');
    if (Number.isNaN(sent) || Math.abs(sent - this.now()) <= toleratedMs) return false;
    this.#offset = sent - this.#clock.now();
    return true;
  }
}
