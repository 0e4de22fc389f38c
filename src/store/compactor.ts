import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { StoreError } from './store-error.ts';

/** Often enough that history stays near what is to be kept, seldom enough to cost nothing. */
export const compactionInterval = 10_000;

interface CompactorOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The slices that hold more than they must. */
  readonly candidates: () => readonly string[];
  /** Does a bounded piece of work on the slice; true: there is more to do. */
  readonly step: (slice: string) => Promise<boolean>;
}

/** Lets the store forget what retention no longer asks for: one slice after the other, in small steps, from time to time. */
export class Compactor {
  readonly #options: CompactorOptions;
  #cancelTimer: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#wait();
  }

  /** Resolves when no step is under way any more. */
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
      if (!this.#stopped) log[level]({ error }, 'old history could not be dropped; it is tried again later');
    }
  }
}
