import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { DeferredRows, maxRetryDelayMs } from './deferred-rows.ts';

export interface RowWorkerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The name of the work in log messages. */
  readonly workName: string;
  /** Scans all rows once and starts the work that is due. Must return early if the worker is stopped. */
  scan(): Promise<void>;
}

/**
 * The maximum number of concurrent tasks. Tasks run concurrently because a task such as starting a cluster can be slow.
 */
const maxConcurrent = 16;

/**
 * Processes maintenance rows of the store. Only one scan runs at a time. Another scan follows if `wake` was called
 * during the scan, or when a deferred row is due. A scan starts tasks, which run concurrently. Two tasks with the same
 * ID never run at the same time.
 */
export class RowWorker {
  readonly deferredRows: DeferredRows;
  readonly #options: RowWorkerOptions;
  readonly #active = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;
  #scanRequested = false;
  #stopped = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: RowWorkerOptions) {
    this.#options = options;
    this.deferredRows = new DeferredRows(options.clock, options.log);
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#active.size === 0;
  }

  wake(): void {
    if (this.#stopped) return;
    this.#scanRequested = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#scanRequested) this.wake();
    });
  }

  async idle(): Promise<void> {
    while (!this.isIdle) {
      await this.#running;
      await Promise.all(this.#active.values());
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#scanRequested = false;
    this.#cancelTimer?.();
    await this.idle();
  }

  isActive(id: string): boolean {
    return this.#active.has(id);
  }

  /**
   * True if the concurrency limit is reached. The caller must then await `nextCompletion` before it starts more work.
   */
  get isFull(): boolean {
    return this.#active.size >= maxConcurrent;
  }

  async nextCompletion(): Promise<void> {
    await Promise.race(this.#active.values());
  }

  /**
   * Starts work unless other work with the same ID is running. `work` must resolve with true if another scan is needed,
   * and must not reject.
   */
  start(id: string, work: () => Promise<boolean>): void {
    if (this.#active.has(id)) return;
    const active = work().then((hasMore) => {
      this.#active.delete(id);
      if (hasMore) this.wake();
    });
    this.#active.set(id, active);
  }

  async #run(): Promise<void> {
    const { clock, log, workName } = this.#options;
    while (this.#scanRequested && !this.#stopped) {
      this.#scanRequested = false;
      this.#cancelTimer?.();
      try {
        this.deferredRows.beginScan();
        await this.#options.scan();
        const { nextDueInMs } = this.deferredRows;
        if (nextDueInMs < Number.POSITIVE_INFINITY && !this.#stopped) {
          this.#cancelTimer = clock.after(nextDueInMs, () => this.wake());
        }
      } catch (error) {
        if (this.#stopped || isStoreClosed(error)) return;
        log.error({ error: String(error) }, `could not scan the store for ${workName}; retrying in one minute`);
        this.#cancelTimer = clock.after(maxRetryDelayMs, () => this.wake());
      }
    }
  }
}
