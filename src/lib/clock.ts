import { Alarms } from './alarms.ts';

/** The time source of the program. Everything that waits or writes timestamps takes one, so that tests control time. */
export interface Clock {
  /**
   * Milliseconds since the epoch. The machine's administrator may set this clock forward and back: use it for
   * timestamps and for deadlines that are given as a time.
   */
  now(): number;
  /** Milliseconds of a monotonic clock with an arbitrary start: use it for durations and timeouts. */
  elapsed(): number;
  /** Calls back once after `milliseconds`; the returned function cancels. Never keeps the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
  /**
   * Calls back once when `now` reaches that time; if the clock is set meanwhile, within a second of it. The returned
   * function cancels. Never keeps the process alive.
   */
  at(time: number, callback: () => void): () => void;
}

/** The maximum of a Node.js timer (2^31 - 1 ms). Longer delays are shortened; callers check the time when they wake. */
const maxTimerMs = 2_147_483_647;

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), maxTimerMs));
  timer.unref();
  return () => {
    // Node.js keeps one list per timer duration. If the last timer of a list is cleared while unreferenced, the empty
    // list stays until the duration has passed: a small leak for each duration ever used.
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

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  #elapsed = 0;
  /** The wall clock time at elapsed time 0. */
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

  /** Advances the time and runs due callbacks in order of their time. */
  advance(milliseconds: number): void {
    this.#elapsed += milliseconds;
    for (;;) {
      const due = this.#waiting.filter((entry) => entry.at <= this.#elapsed).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) return;
      this.#waiting = this.#waiting.filter((entry) => entry !== due);
      due.callback();
    }
  }

  /** Sets the wall clock without advancing the elapsed time. */
  setWall(milliseconds: number): void {
    this.#start += milliseconds;
  }
}
