import type { Clock } from '../../lib/clock.ts';

/** Differences up to this are not corrected: responses take time, and the server tolerates more. */
const toleratedMs = 10_000;

/**
 * The time of the server. The server accepts only recent proofs, and machines that nobody can connect to often have a wrong
 * clock.
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
