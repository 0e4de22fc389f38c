/**
 * Room for so many at the same time. Whoever comes when all of it is taken waits in line, unless the line is too long.
 * Who leaves the line because of a signal is out of it at once.
 */
export class Slots {
  readonly #mostWaiting: number;
  /** In the order in which they came. */
  readonly #line = new Set<() => void>();
  #free: number;

  constructor(slots: number, mostWaiting: number) {
    this.#free = slots;
    this.#mostWaiting = mostWaiting;
  }

  /** Nobody else may join the line. */
  get isFull(): boolean {
    return this.#free === 0 && this.#line.size >= this.#mostWaiting;
  }

  /** Returns how to leave, which counts once. Rejects with the reason of the signal. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      const [next] = this.#line;
      if (next === undefined) this.#free++;
      else next();
    };
  }

  /** Whoever leaves hands their slot on to the first in line. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaveLine = () => {
        this.#line.delete(enter);
        signal.removeEventListener('abort', giveUp);
      };
      const enter = () => {
        leaveLine();
        resolve();
      };
      const giveUp = () => {
        leaveLine();
        reject(signal.reason);
      };
      this.#line.add(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
