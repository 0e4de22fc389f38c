/**
 * Divides long work into turns of the event loop, so that others are served in between. What a step costs is told in
 * units of its caller's choice, not measured: the same work always takes the same turns.
 */
export class DividedWork {
  readonly #perTurn: number;
  readonly #turn: () => Promise<void>;
  #spent = 0;

  /** `turn` waits for the next one, where turns are shared between callers; without it that of the event loop will do. */
  constructor(perTurn: number, turn: () => Promise<void> = nextTurn) {
    this.#perTurn = perTurn;
    this.#turn = turn;
  }

  /** True: enough for this turn, `next` is to be awaited. */
  spend(units: number): boolean {
    this.#spent += units;
    return this.#spent >= this.#perTurn;
  }

  next(): Promise<void> {
    this.#spent = 0;
    return this.#turn();
  }
}

/** Resolves when whatever waits for the event loop has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
