import type { Clock } from './clock.ts';
import { Line } from './line.ts';

interface Waiting {
  /** By the clock's `elapsed`. */
  readonly dueAt: number;
  readonly callback: () => void;
}

/**
 * Calls back after a time that is the same for all who ask: whoever asked first is the first to be called, so that one
 * timer does for all of them. Hardly anybody lets it come so far, and to join a line and to leave it costs little beside
 * a timer of one's own.
 */
export class SameDelay {
  readonly #clock: Pick<Clock, 'elapsed' | 'after'>;
  readonly #milliseconds: number;
  readonly #line = new Line<Waiting>();
  #isArmed = false;

  constructor(clock: Pick<Clock, 'elapsed' | 'after'>, milliseconds: number) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
  }

  /** The returned function cancels it. */
  after(callback: () => void): () => void {
    const place = this.#line.join({ dueAt: this.#clock.elapsed() + this.#milliseconds, callback });
    if (!this.#isArmed) this.#arm(this.#milliseconds);
    return () => this.#line.leave(place);
  }

  /** The timer goes on when those it was set for have left: at worst it finds nobody, once. */
  #arm(milliseconds: number): void {
    this.#isArmed = true;
    this.#clock.after(milliseconds, () => this.#look());
  }

  #look(): void {
    this.#isArmed = false;
    const now = this.#clock.elapsed();
    for (let first = this.#line.first; first !== undefined; first = this.#line.first) {
      if (first.dueAt > now) {
        if (!this.#isArmed) this.#arm(first.dueAt - now);
        return;
      }
      this.#line.shift();
      first.callback();
    }
  }
}
