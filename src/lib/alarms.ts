import type { Clock } from './clock.ts';

/** How often is looked whether somebody has set the clock. */
const lookEvery = 1_000;
/** By so much the clock may differ from what it should be by now; a machine that keeps it right does so little by little. */
const tolerance = 100;

interface Alarm {
  readonly time: number;
  readonly callback: () => void;
  cancelTimer(): void;
}

/**
 * Calls back at times of day. A timer measures how long it still is until then, which is wrong as soon as the clock is
 * set: so, while anybody waits, one more timer looks for that, and all are set anew.
 */
export class Alarms {
  readonly #clock: Omit<Clock, 'at'>;
  readonly #alarms = new Set<Alarm>();
  #offset = 0;
  #cancelLook: (() => void) | undefined;

  constructor(clock: Omit<Clock, 'at'>) {
    this.#clock = clock;
  }

  /** The returned function cancels it. */
  set(time: number, callback: () => void): () => void {
    const alarm: Alarm = { time, callback, cancelTimer: () => {} };
    this.#alarms.add(alarm);
    this.#arm(alarm);
    if (this.#cancelLook === undefined) {
      this.#offset = this.#offsetNow();
      this.#lookLater();
    }
    return () => this.#remove(alarm);
  }

  #arm(alarm: Alarm): void {
    alarm.cancelTimer();
    alarm.cancelTimer = this.#clock.after(alarm.time - this.#clock.now(), () => {
      // The clock may have been set back since, and no timer lasts longer than 24 days.
      if (this.#clock.now() < alarm.time) {
        this.#arm(alarm);
        return;
      }
      this.#remove(alarm);
      alarm.callback();
    });
  }

  #remove(alarm: Alarm): void {
    alarm.cancelTimer();
    this.#alarms.delete(alarm);
    if (this.#alarms.size > 0) return;
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }

  #lookLater(): void {
    this.#cancelLook = this.#clock.after(lookEvery, () => {
      this.#lookLater();
      const offset = this.#offsetNow();
      if (Math.abs(offset - this.#offset) <= tolerance) return;
      this.#offset = offset;
      for (const alarm of this.#alarms) this.#arm(alarm);
    });
  }

  #offsetNow(): number {
    return this.#clock.now() - this.#clock.elapsed();
  }
}
