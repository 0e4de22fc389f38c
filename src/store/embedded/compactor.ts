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
  /** Removes a limited number of changes of a slice. True if there may be more to remove. */
  readonly step: (slice: string) => Promise<boolean>;
}

/** Periodically removes history that `HistoryRetention` does not require, one slice after the other, in small steps. */
export class Compactor {
  readonly #options: CompactorOptions;
  #cancelTimer: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#wait();
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
      this.#running = this.#run().finally(() => this.#wait());
    });
  }

  async #run(): Promise<void> {
    const { candidates, step, log } = this.#options;
    try {
      for (const slice of candidates()) {
        while (!this.#stopped && (await step(slice)));
      }
    } catch (error) {
      const isExpected = error instanceof StoreError && (error.code === 'Unavailable' || error.code === 'OutOfSpace');
      const level = isExpected ? 'warn' : 'error';
      if (!this.#stopped) log[level]({ error }, 'compaction of old history failed; retrying later');
    }
  }
}
