import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';

/**
 * Keys, not events: a key that waits is in the queue once, however often it is added; one that is being worked on
 * and added again runs once more afterwards, never twice at a time. So the queue is bounded by the number of objects.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #backoff: BackoffOptions;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();
  /** Workers that found nothing to do. */
  #idlers: (() => void)[] = [];
  #closed = false;

  constructor(clock: Clock, backoff: BackoffOptions = { firstMilliseconds: 50, longestMilliseconds: 300_000 }) {
    this.#clock = clock;
    this.#backoff = backoff;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#waiting.add(key);
    this.#idlers.shift()?.();
  }

  /** Adds the key after that time; an earlier add() takes the place of the wait. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#closed) return;
    this.#timers.get(key)?.();
    this.#timers.set(
      key,
      this.#clock.after(milliseconds, () => {
        this.#timers.delete(key);
        this.add(key);
      }),
    );
  }

  /** Adds the key after a wait that doubles with each failure in a row. */
  addAfterFailure(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.addAfter(key, backoffDelay(failures, this.#backoff));
  }

  /** The key succeeded: its next failure starts from the shortest wait again. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, marked as being worked on until done() is called; undefined once the queue is closed. */
  async take(): Promise<string | undefined> {
    for (;;) {
      if (this.#closed) return undefined;
      for (const key of this.#waiting) {
        this.#waiting.delete(key);
        this.#running.add(key);
        return key;
      }
      await new Promise<void>((resolve) => this.#idlers.push(resolve));
    }
  }

  done(key: string): void {
    this.#running.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** True when nothing waits and nothing runs; keys that wait for their time do not count. */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
    for (const wake of this.#idlers.splice(0)) wake();
  }
}
