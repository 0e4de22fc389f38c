/**
 * A semaphore with a bounded queue. A caller waits if all slots are taken. A caller whose signal is aborted leaves the
 * queue immediately.
 */
export class Semaphore {
  readonly #maxWaiting: number;
  /** Callbacks of waiting callers, in the order in which they arrived. */
  readonly #queue = new Set<() => void>();
  #free: number;

  constructor(slots: number, maxWaiting: number) {
    this.#free = slots;
    this.#maxWaiting = maxWaiting;
  }

  /** True if no slot is free and the queue of waiting callers is full. */
  get isFull(): boolean {
    return this.#free === 0 && this.#queue.size >= this.#maxWaiting;
  }

  /**
   * Waits for a slot. Returns a function that releases it; further calls have no effect. Rejects if `signal` is
   * aborted.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#waitForSlot(signal);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = this.#queue;
      if (next === undefined) this.#free++;
      else next();
    };
  }

  /** Waits in the queue. A released slot is passed to the first caller in the queue. */
  #waitForSlot(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        this.#queue.delete(enter);
        signal.removeEventListener('abort', giveUp);
      };
      const enter = () => {
        leaveQueue();
        resolve();
      };
      const giveUp = () => {
        leaveQueue();
        reject(signal.reason);
      };
      this.#queue.add(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
