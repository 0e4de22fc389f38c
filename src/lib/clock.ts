import { Alarms } from './alarms.ts';

/**
 * The time source of the program. All code that waits or writes timestamps uses a Clock, so that tests control time.
 */
export interface Clock {
  /**
   * Milliseconds since the epoch. An administrator may set this clock forward and back. Use it for timestamps, and for
   * deadlines that are given as absolute times.
   */
  now(): number;
  /** Milliseconds of a monotonic clock with an arbitrary start. Use it for durations and timeouts. */
  elapsed(): number;
  /**
   * Calls `callback` once after `milliseconds`. Returns a function that cancels the call. Does not keep the process
   * alive.
   */
  after(milliseconds: number, callback: () => void): () => void;
  /**
   * Calls `callback` once when `now` reaches `time`. If the system clock is set in the meantime, the call is at most
   * one second late. Returns a function that cancels the call. Does not keep the process alive.
   */
  at(time: number, callback: () => void): () => void;
}

/** The maximum delay of a Node.js timer (2^31 - 1 ms). A longer delay is shortened, so callers must check the time. */
const maxTimerMs = 2_147_483_647;

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), maxTimerMs));
  timer.unref();
  return () => {
    // Node.js has one internal list per timer duration. If the last timer of a list is cleared after `unref()`, the
    // empty list remains until the duration has passed, which is a small memory leak. Calling `ref()` before clearing
    // the timer prevents the leak.
    timer.ref();
    clearTimeout(timer);
  };
}

const alarms = new Alarms({ now: () => Date.now(), elapsed: () => performance.now(), after });

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after,
  at: (time, callback) => alarms.set(time, callback),
};

/** A clock for tests. Its time does not change until the test advances it. */
export class ManualClock implements Clock {
  #elapsed = 0;
  /** The wall clock time in milliseconds since the epoch at which `elapsed` was 0. */
  #start: number;
  #waiting: { at: number; callback: () => void }[] = [];
  readonly #alarms = new Alarms(this);

  constructor(start: number = Date.parse('2026-01-01T00:00:00Z')) {
    this.#start = start;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const entry = { at: this.#elapsed + milliseconds, callback };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  at(time: number, callback: () => void): () => void {
    return this.#alarms.set(time, callback);
  }

  /** Advances the time. Calls the callbacks that become due, in the order of their due times. */
  advance(milliseconds: number): void {
    this.#elapsed += milliseconds;
    for (;;) {
      const due = this.#waiting.filter((entry) => entry.at <= this.#elapsed).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) return;
      this.#waiting = this.#waiting.filter((entry) => entry !== due);
      due.callback();
    }
  }

  /** Changes the wall clock by `milliseconds` without advancing the elapsed time. */
  setWall(milliseconds: number): void {
    this.#start += milliseconds;
  }
}
