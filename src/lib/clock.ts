import { Alarms } from './alarms.ts';

/** The time as the program sees it. Everything that waits or stamps takes one, so that tests move time themselves. */
export interface Clock {
  /**
   * Milliseconds since the epoch. Whoever runs the machine may set this clock, forward and back: it is for stamps, and
   * for ends that are given as a time.
   */
  now(): number;
  /** Milliseconds since some moment, by a clock that nobody sets: for how long something took, or may take. */
  elapsed(): number;
  /** Calls back once after `milliseconds`; the returned function cancels it. Never keeps the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
  /**
   * Calls back once when it is that time by `now`, within a second also where the clock has been set meanwhile; the
   * returned function cancels it. Never keeps the process alive.
   */
  at(time: number, callback: () => void): () => void;
}

/** Longer waits than a Node timer can hold (2^31 - 1 ms) are cut; callers look again when they wake. */
const longestTimer = 2_147_483_647;

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), longestTimer));
  timer.unref();
  return () => {
    // Node keeps one list for each length of time and, where the last timer of a list is cleared while it does not
    // hold the process, keeps the empty list until that time is over: a little memory for each length ever used.
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

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #elapsed = 0;
  /** What the clock on the wall shows when none of the time has gone by. */
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

  /** Moves time forward and runs what became due, in order of its time. */
  advance(milliseconds: number): void {
    this.#elapsed += milliseconds;
    for (;;) {
      const due = this.#waiting.filter((entry) => entry.at <= this.#elapsed).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) return;
      this.#waiting = this.#waiting.filter((entry) => entry !== due);
      due.callback();
    }
  }

  /** Somebody sets the clock on the wall: no time goes by. */
  setWall(milliseconds: number): void {
    this.#start += milliseconds;
  }
}
