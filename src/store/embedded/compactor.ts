import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { StoreError } from '../store-error.ts';

/** The interval of compactions in milliseconds. It is a compromise between the size of the history and the cost. */
export const compactionInterval = 10_000;

interface CompactorOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the slices that have more history than `HistoryRetention` requires. */
  readonly candidates: () => readonly string[];
  /**
   * Called before and after each compaction of all slices. An urgent compaction must free as much space as possible.
   * `end` must stop soon if `mustStop` returns true, because an urgent compaction waits or the store is being closed.
   */
  readonly begin?: (isUrgent: boolean) => Promise<void>;
  readonly end?: (mustStop: () => boolean) => Promise<void>;
  /** Removes a limited number of changes of a slice. Returns true if there may be more to remove. */
  readonly step: (slice: string) => Promise<boolean>;
}

/** Periodically removes history that `HistoryRetention` does not require, one slice after the other, in small steps. */
export class Compactor {
  readonly #options: CompactorOptions;
  #cancelTimer: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #urgentRun: Promise<void> | undefined;
  #stopped = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#wait();
  }

  /** Runs an urgent compaction now. Concurrent callers share one compaction. Never rejects. */
  async runUrgently(): Promise<void> {
    if (this.#stopped) return;
    this.#urgentRun ??= this.#queueRun(true).finally(() => {
      this.#urgentRun = undefined;
    });
    await this.#urgentRun;
  }

  /** Stops the periodic compaction and waits until the current step has finished. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#running;
  }

  #wait(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.#options.clock.after(compactionInterval, () => {
      void this.#queueRun(false).finally(() => this.#wait());
    });
  }

  /**
   * Runs a compaction after all queued compactions. Two concurrent compactions would disagree about which history to
   * keep.
   */
  #queueRun(isUrgent: boolean): Promise<void> {
    this.#running = this.#running.then(() => this.#run(isUrgent));
    return this.#running;
  }

  async #run(isUrgent: boolean): Promise<void> {
    const { begin, end } = this.#options;
    if (this.#stopped) return;
    await this.#attempt(async () => {
      await begin?.(isUrgent);
      await this.#removeHistory();
    });
    // Calls `end` even if there was no space to remove history, because `end` may free enough space for the next
    // compaction.
    if (!this.#stopped) await this.#attempt(async () => end?.(() => this.#mustStop(isUrgent)));
  }

  #mustStop(isUrgent: boolean): boolean {
    return this.#stopped || (!isUrgent && this.#urgentRun !== undefined);
  }

  async #removeHistory(): Promise<void> {
    const { candidates, step } = this.#options;
    for (const slice of candidates()) {
      while (!this.#stopped && (await step(slice)));
    }
  }

  /** Does a part of a compaction. Logs its error and does not reject, because the next compaction tries again. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isExpected = error instanceof StoreError && (error.code === 'Unavailable' || error.code === 'OutOfSpace');
      const level = isExpected ? 'warn' : 'error';
      if (!this.#stopped) this.#options.log[level]({ error }, 'compaction of old history failed; retrying later');
    }
  }
}
