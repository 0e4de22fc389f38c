/** Milliseconds between checks whether the system clock was set. */
const checkIntervalMs = 1_000;
/** The tolerated clock difference in milliseconds: time synchronization adjusts the clock in small steps. */
const toleranceMs = 100;

/** The clock that alarms run on. */
export interface AlarmClock {
  /** Milliseconds since the epoch; see `Clock.now`. */
  now(): number;
  /** Milliseconds of a monotonic clock; see `Clock.elapsed`. */
  elapsed(): number;
  /** Calls back once after `milliseconds`; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}

interface Alarm {
  readonly time: number;
  readonly callback: () => void;
  cancelTimer(): void;
}

/**
 * Calls back at absolute times. A timer measures the remaining time, which is wrong as soon as the system clock is set.
 * While any alarm is pending, one more timer therefore checks for that and rearms all alarms.
 */
export class Alarms {
  readonly #clock: AlarmClock;
  readonly #alarms = new Set<Alarm>();
  #offset = 0;
  #cancelCheck: (() => void) | undefined;

  constructor(clock: AlarmClock) {
    this.#clock = clock;
  }

  /** The returned function cancels the alarm. */
  set(time: number, callback: () => void): () => void {
    const alarm: Alarm = { time, callback, cancelTimer: () => {} };
    this.#alarms.add(alarm);
    this.#arm(alarm);
    if (this.#cancelCheck === undefined) {
      this.#offset = this.#offsetNow();
      this.#scheduleCheck();
    }
    return () => this.#remove(alarm);
  }

  #arm(alarm: Alarm): void {
    alarm.cancelTimer();
    alarm.cancelTimer = this.#clock.after(alarm.time - this.#clock.now(), () => {
      // The clock may have been set back since, and a timer lasts at most 24 days.
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
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
  }

  #scheduleCheck(): void {
    this.#cancelCheck = this.#clock.after(checkIntervalMs, () => {
      this.#scheduleCheck();
      const offset = this.#offsetNow();
      if (Math.abs(offset - this.#offset) <= toleranceMs) return;
      this.#offset = offset;
      for (const alarm of this.#alarms) this.#arm(alarm);
    });
  }

  #offsetNow(): number {
    return this.#clock.now() - this.#clock.elapsed();
  }
}
