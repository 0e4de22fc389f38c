import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';

export interface WorkQueueOptions extends BackoffOptions {
  /** Keys of one lane never take more than its share of the workers. Absent: there is one lane, without a limit. */
  readonly lanes?: Lanes;
}

export interface Lanes {
  /** Asked whenever the key is added: a key may change its lane between two runs. */
  of(key: string): string;
  /** How many keys of one lane run at the same time. */
  readonly atATime: number;
}

interface Lane {
  readonly waiting: Set<string>;
  running: number;
}

const defaultBackoff: BackoffOptions = { firstMilliseconds: 50, longestMilliseconds: 300_000 };
const oneLane: Lanes = { of: () => '', atATime: Number.POSITIVE_INFINITY };

/**
 * Keys, not events: a key that waits is in the queue once, however often it is added; one that is being worked on
 * and added again runs once more afterwards, never twice at a time. So the queue is bounded by the number of objects.
 * Lanes take turns: however many keys wait in one, the next key of another is not behind them.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #backoff: BackoffOptions;
  readonly #rules: Lanes;
  /** Those in which something waits or runs; the one whose turn it is first. */
  readonly #lanes = new Map<string, Lane>();
  /** The lane in which a key waits. */
  readonly #waiting = new Map<string, string>();
  /** The lane in which a key runs. */
  readonly #running = new Map<string, string>();
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();
  /** Workers that found nothing to do. */
  #idlers: (() => void)[] = [];
  #closed = false;

  constructor(clock: Clock, options: Partial<WorkQueueOptions> = {}) {
    this.#clock = clock;
    this.#backoff = { ...defaultBackoff, ...options };
    this.#rules = options.lanes ?? oneLane;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#waiting.has(key)) return;
    const name = this.#rules.of(key);
    const lane = this.#lanes.get(name) ?? { waiting: new Set(), running: 0 };
    this.#lanes.set(name, lane);
    lane.waiting.add(key);
    this.#waiting.set(key, name);
    if (lane.running < this.#rules.atATime) this.#idlers.shift()?.();
  }

  /** How many lanes have something to do. */
  get lanes(): number {
    return this.#lanes.size;
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
      const key = this.#next();
      if (key !== undefined) return key;
      await new Promise<void>((resolve) => this.#idlers.push(resolve));
    }
  }

  #next(): string | undefined {
    for (const [name, lane] of this.#lanes) {
      if (lane.running >= this.#rules.atATime) continue;
      for (const key of lane.waiting) {
        lane.waiting.delete(key);
        lane.running += 1;
        this.#waiting.delete(key);
        this.#running.set(key, name);
        // To the end of the row: the others are first now.
        this.#lanes.delete(name);
        this.#lanes.set(name, lane);
        return key;
      }
    }
    return undefined;
  }

  done(key: string): void {
    const name = this.#running.get(key);
    this.#running.delete(key);
    if (name !== undefined) this.#leave(name);
    if (this.#again.delete(key)) this.add(key);
  }

  #leave(name: string): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) return;
    lane.running -= 1;
    if (lane.waiting.size > 0) this.#idlers.shift()?.();
    else if (lane.running === 0) this.#lanes.delete(name);
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
    this.#lanes.clear();
    for (const wake of this.#idlers.splice(0)) wake();
  }
}
