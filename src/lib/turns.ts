/** Of all of them, how many have had their few in this turn of the event loop. */
let resting = 0;
/** Of all of them, how many tasks have run since the process began. */
let had = 0;

/** How many have run since the process began. */
export function turnsHad(): number {
  return had;
}

/** Whether any have run something in this turn of the event loop. What they wrote leaves at its end. */
export function haveHadTurns(): boolean {
  return resting > 0;
}

/**
 * Runs what is handed in, in order, a few in each turn of the event loop: between them the process looks after everything
 * else. The first few run as soon as what goes on right now is done, so that what they write leaves in the same turn.
 * Nothing runs while it is handed in.
 */
export class Turns {
  readonly #perTurn: number;
  #waiting: (() => void)[] = [];
  /** Those before this index have had their turn. */
  #next = 0;
  /** This turn of the event loop has had its few. */
  #rests = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Must not throw. Who hands in again only after having had a turn keeps this as short as there are such. */
  add(task: () => void): void {
    this.#waiting.push(task);
    if (this.#waiting.length === 1 && !this.#rests) process.nextTick(this.#turn);
  }

  readonly #turn = (): void => {
    const end = Math.min(this.#waiting.length, this.#next + this.#perTurn);
    had += end - this.#next;
    for (; this.#next < end; this.#next++) this.#waiting[this.#next]?.();
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    this.#rests = true;
    resting++;
    setImmediate(this.#rested);
  };

  readonly #rested = (): void => {
    this.#rests = false;
    resting--;
    if (this.#waiting.length > 0) this.#turn();
  };
}
