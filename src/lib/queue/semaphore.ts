/**
 * A semaphore with a bounded waiting queue. A caller waits if all slots are taken. A caller whose signal fires leaves
 * the queue at once.
 */
export class Semaphore {
  readonly #maxWaiting: number;
  /** Waiting callers in order of arrival. */
  readonly #queue = new Set<() => void>();
  #free: number;

  constructor(slots: number, maxWaiting: number) {
    this.#free = slots;
    this.#maxWaiting = maxWaiting;
  }

  /** True if no slot is free and the waiting queue is full. */
  get isFull(): boolean {
    return this.#free === 0 && this.#queue.size >= this.#maxWaiting;
  }

  /** Returns the function that releases the slot; calling it again has no effect. Rejects with the signal's reason. */
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

  /** Waits in the queue: a released slot goes to the first caller in it. */
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
