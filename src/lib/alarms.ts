/** Milliseconds between two checks that detect whether the system clock was set to another time. */
const checkIntervalMs = 1_000;
/**
 * Changes of the system clock by up to this many milliseconds are ignored, because time synchronization adjusts the
 * clock in small steps.
 */
const toleranceMs = 100;

/** The clock functions that alarms use. */
export interface AlarmClock {
  /** Milliseconds since the epoch; see `Clock.now`. */
  now(): number;
  /** Milliseconds of a monotonic clock; see `Clock.elapsed`. */
  elapsed(): number;
  /** Calls `callback` once after `milliseconds`. Returns a function that cancels the call. */
  after(milliseconds: number, callback: () => void): () => void;
}

interface Alarm {
  readonly time: number;
  readonly callback: () => void;
  cancelTimer(): void;
}

/**
 * Calls functions at absolute times. A timer measures a duration, so it fires at the wrong time if the system clock is
 * set to another time. Therefore the system clock is checked every second as long as there are alarms. If the system
 * clock was set, the timers of all alarms are restarted.
 */
export class Alarms {
  readonly #clock: AlarmClock;
  readonly #alarms = new Set<Alarm>();
  #offset = 0;
  #cancelCheck: (() => void) | undefined;

  constructor(clock: AlarmClock) {
    this.#clock = clock;
  }

  /** Calls `callback` at `time`, in milliseconds since the epoch. Returns a function that cancels the alarm. */
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
      // The timer fired before the time of the alarm: the system clock was set back, or the alarm is more than the
      // maximum timer duration of 24 days away.
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
