import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { StoreError } from '../store-error.ts';

/** Frequent enough that history stays near its configured size, rare enough that the cost is negligible. */
export const compactionInterval = 10_000;

interface CompactorOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The slices with more history than the retention requires. */
  readonly candidates: () => readonly string[];
  /** Does a bounded amount of work on the slice; true if more is left. */
  readonly step: (slice: string) => Promise<boolean>;
}

/** Periodically removes history beyond the retention, one slice after the other, in small steps. */
export class Compactor {
  readonly #options: CompactorOptions;
  #cancelTimer: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#wait();
  }

  /** Resolves when no step is running any more. */
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
      const level = error instanceof StoreError && error.code === 'Unavailable' ? 'warn' : 'error';
      if (!this.#stopped) log[level]({ error }, 'compaction of old history failed; retrying later');
    }
  }
}
