/**
 * Runs what is handed in, in order, a few at a time: between them the process looks after everything else. Nothing runs
 * while it is handed in.
 */
export class Turns {
  readonly #perTurn: number;
  #waiting: (() => void)[] = [];
  /** Those before this index have had their turn. */
  #next = 0;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Must not throw. Who hands in again only after having had a turn keeps this as short as there are such. */
  add(task: () => void): void {
    this.#waiting.push(task);
    if (this.#waiting.length === 1) setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const end = Math.min(this.#waiting.length, this.#next + this.#perTurn);
    for (; this.#next < end; this.#next++) this.#waiting[this.#next]?.();
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    } else setImmediate(this.#turn);
  };
}
