import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export interface KeyedWorkOptions {
  /** For the log. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Brings what the key names to where it should be; called again when it is asked for meanwhile, or when it failed. */
  work(key: string): Promise<void>;
}

interface Job {
  wanted: boolean;
  failures: number;
  running: Promise<void> | undefined;
  cancelRetry: (() => void) | undefined;
}

const retry = { firstMilliseconds: 200, longestMilliseconds: 60_000 };

/** Keys, not events: a key runs once at a time, and once more where it is named while it runs. */
export class KeyedWork {
  readonly #options: KeyedWorkOptions;
  readonly #jobs = new Map<string, Job>();
  #isStopped = false;

  constructor(options: KeyedWorkOptions) {
    this.#options = options;
  }

  /** Resolves when the key has been worked on from the beginning after this call, well or not. Never rejects. */
  async add(key: string): Promise<void> {
    if (this.#isStopped) return;
    let job = this.#jobs.get(key);
    if (job === undefined) {
      job = { wanted: false, failures: 0, running: undefined, cancelRetry: undefined };
      this.#jobs.set(key, job);
    }
    job.wanted = true;
    // What runs already may have looked before this call: it is the next one that counts.
    await job.running;
    if (job.wanted && !this.#isStopped) job.running ??= this.#run(key, job);
    await job.running;
  }

  stop(): void {
    this.#isStopped = true;
    for (const job of this.#jobs.values()) job.cancelRetry?.();
    this.#jobs.clear();
  }

  async #run(key: string, job: Job): Promise<void> {
    job.wanted = false;
    job.cancelRetry?.();
    job.cancelRetry = undefined;
    try {
      await this.#options.work(key);
      job.failures = 0;
    } catch (error) {
      this.#failed(key, job, error);
    }
    job.running = undefined;
    if (!job.wanted && job.cancelRetry === undefined && this.#jobs.get(key) === job) this.#jobs.delete(key);
  }

  #failed(key: string, job: Job, error: unknown): void {
    if (this.#isStopped) return;
    const { name, clock, log } = this.#options;
    job.failures++;
    log.warn({ error, key, failures: job.failures }, `${name} will be tried again`);
    job.cancelRetry = clock.after(backoffDelay(job.failures, retry), () => void this.add(key));
  }
}
