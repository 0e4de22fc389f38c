import type { Clock } from '../lib/clock.ts';

export interface PeriodicTaskOptions {
  readonly clock: Clock;
  /** Resolves with the time until the next run, in milliseconds. Must not reject. */
  run(): Promise<number>;
}

/** Repeats a task. Two runs never overlap, so a slow store does not accumulate runs. */
export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #running: Promise<void> | undefined;
  #runAgain = false;
  #cancelTimer = () => {};
  #stopped = false;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  /** Runs the task immediately, or after the run that is in progress. */
  runNow(): void {
    if (this.#stopped) return;
    if (this.#running !== undefined) {
      this.#runAgain = true;
      return;
    }
    this.#cancelTimer();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#running;
  }

  async #run(): Promise<void> {
    const startedAt = this.#options.clock.elapsed();
    const interval = await this.#options.run();
    this.#running = undefined;
    if (this.#stopped) return;
    if (this.#runAgain || interval === 0) {
      this.#runAgain = false;
      this.runNow();
      return;
    }
    const passed = this.#options.clock.elapsed() - startedAt;
    this.#cancelTimer = this.#options.clock.after(Math.max(0, interval - passed), () => this.runNow());
  }
}
