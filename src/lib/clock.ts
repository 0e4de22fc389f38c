/** The time as the program sees it. Everything that waits or stamps takes one, so that tests move time themselves. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `milliseconds`; the returned function cancels it. Never keeps the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Longer waits than a Node timer can hold (2^31 - 1 ms) are cut; callers look again when they wake. */
const longestTimer = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), longestTimer));
    timer.unref();
    return () => {
      // Node keeps one list for each length of time and, where the last timer of a list is cleared while it does not
      // hold the process, keeps the empty list until that time is over: a little memory for each length ever used.
      timer.ref();
      clearTimeout(timer);
    };
  },
};

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #waiting: { at: number; callback: () => void }[] = [];

  constructor(start: number = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const entry = { at: this.#now + milliseconds, callback };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  /** Moves time forward and runs what became due, in order of its time. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (;;) {
      const due = this.#waiting.filter((entry) => entry.at <= this.#now).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) return;
      this.#waiting = this.#waiting.filter((entry) => entry !== due);
      due.callback();
    }
  }
}
