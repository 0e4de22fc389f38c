import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { type KeyGroups, WaitingKeys } from './waiting-keys.ts';

export interface WorkQueueOptions extends BackoffOptions {
  /** Divides the keys into lanes. Optional; defaults to one lane without a limit. */
  readonly lanes?: LaneOptions;
  /** True if this process processes the key. Other keys are dropped. Optional; defaults to all keys. */
  owns?(key: string): boolean;
}

export interface LaneOptions {
  /** Returns the lane of a key. Called each time the key is added, because its lane may change. */
  laneOf(key: string): string;
  /** Maximum number of keys that are processed concurrently per lane. */
  readonly concurrency: number;
  /** Divides the workers of a lane between groups of keys. Optional; defaults to one group. */
  readonly groups?: KeyGroups | undefined;
}

interface Lane {
  readonly waiting: WaitingKeys;
  running: number;
}

const defaultBackoff: BackoffOptions = { initialMilliseconds: 50, maxMilliseconds: 300_000 };
const singleLane: LaneOptions = { laneOf: () => '', concurrency: Number.POSITIVE_INFINITY };

/**
 * A queue of keys, which workers process. A key is in the queue at most once, however often it is added, so the number
 * of objects limits the length of the queue. If a key is added during its processing, it is processed once more
 * afterwards, never concurrently. Lanes are served round-robin, so a key never waits for the keys of another lane. In a
 * lane, groups are served round-robin.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #backoff: BackoffOptions;
  readonly #laneOptions: LaneOptions;
  readonly #owns: (key: string) => boolean;
  /** Lanes with keys that wait or are processed, in round-robin order. */
  readonly #lanes = new Map<string, Lane>();
  /** Keys that wait for a worker, with their lane. */
  readonly #waiting = new Map<string, string>();
  /** Keys that a worker processes now, with their lane. */
  readonly #running = new Map<string, string>();
  readonly #requeued = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();
  /** Callbacks of idle workers. Each callback wakes one worker that waits for a key. */
  #idleWorkers: (() => void)[] = [];
  #closed = false;

  constructor(clock: Clock, options: Partial<WorkQueueOptions> = {}) {
    this.#clock = clock;
    this.#backoff = { ...defaultBackoff, ...options };
    this.#laneOptions = options.lanes ?? singleLane;
    this.#owns = (key) => options.owns?.(key) ?? true;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (this.#running.has(key)) {
      this.#requeued.add(key);
      return;
    }
    if (this.#waiting.has(key) || !this.#owns(key)) return;
    const name = this.#laneOptions.laneOf(key);
    const lane = this.#lanes.get(name) ?? { waiting: new WaitingKeys(this.#laneOptions.groups), running: 0 };
    this.#lanes.set(name, lane);
    lane.waiting.add(key);
    this.#waiting.set(key, name);
    if (lane.running < this.#laneOptions.concurrency) this.#idleWorkers.shift()?.();
  }

  /** Number of keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Number of lanes with keys that wait or are processed. */
  get lanes(): number {
    return this.#lanes.size;
  }

  /** Adds the key after a delay. If `add` is called for the key before the delay is over, the delay is canceled. */
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

  /** Adds the key after a delay that doubles with each consecutive failure. */
  addAfterFailure(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.addAfter(key, backoffDelay(failures, this.#backoff));
  }

  /** Resets the number of failures of a key. Must be called after the key was processed successfully. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /**
   * Waits for the next key. The caller must call `done` after it has processed the key. Returns `undefined` after the
   * queue is closed.
   */
  async take(): Promise<string | undefined> {
    for (;;) {
      if (this.#closed) return undefined;
      const key = this.#next();
      if (key !== undefined) return key;
      await new Promise<void>((resolve) => this.#idleWorkers.push(resolve));
    }
  }

  #next(): string | undefined {
    for (const [name, lane] of this.#lanes) {
      if (lane.running >= this.#laneOptions.concurrency) continue;
      for (let key = lane.waiting.take(); key !== undefined; key = lane.waiting.take()) {
        this.#waiting.delete(key);
        if (!this.#owns(key)) {
          lane.waiting.done(key);
          continue;
        }
        lane.running += 1;
        this.#running.set(key, name);
        // Moves this lane to the end of the round-robin order.
        this.#lanes.delete(name);
        this.#lanes.set(name, lane);
        return key;
      }
      if (lane.running === 0 && lane.waiting.isEmpty) this.#lanes.delete(name);
    }
    return undefined;
  }

  /** True if any key for which `matches` returns true is being processed. */
  isRunning(matches: (key: string) => boolean): boolean {
    return [...this.#running.keys()].some(matches);
  }

  done(key: string): void {
    const name = this.#running.get(key);
    this.#running.delete(key);
    if (name !== undefined) this.#releaseLane(name, key);
    if (this.#requeued.delete(key)) this.add(key);
  }

  #releaseLane(name: string, key: string): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) return;
    lane.running -= 1;
    lane.waiting.done(key);
    if (!lane.waiting.isEmpty) this.#idleWorkers.shift()?.();
    else if (lane.running === 0) this.#lanes.delete(name);
  }

  /**
   * True if no key waits for a worker or is being processed. Ignores keys that were added with a delay that is not
   * over.
   */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
    this.#lanes.clear();
    for (const wake of this.#idleWorkers.splice(0)) wake();
  }
}
