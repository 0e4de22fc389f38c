import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export interface KeyedWorkQueueOptions {
  /** The name of the work in log messages. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Does the work for one key. The queue calls this function again if the key is added during the call, or with backoff
   * if the call fails.
   */
  reconcile(key: string): Promise<void>;
}

interface Job {
  isRequested: boolean;
  failures: number;
  running: Promise<void> | undefined;
  cancelRetry: (() => void) | undefined;
}

const retry = { initialMilliseconds: 200, maxMilliseconds: 60_000 };

/**
 * A work queue with unique keys. The work for one key never runs concurrently with itself. If a key is added while its
 * work is running, the work runs once more afterwards.
 */
export class KeyedWorkQueue {
  readonly #options: KeyedWorkQueueOptions;
  readonly #jobs = new Map<string, Job>();
  #isStopped = false;

  constructor(options: KeyedWorkQueueOptions) {
    this.#options = options;
  }

  /** Adds a key. Resolves when a run that started after this call has ended, even if the run failed. Never rejects. */
  async add(key: string): Promise<void> {
    if (this.#isStopped) return;
    let job = this.#jobs.get(key);
    if (job === undefined) {
      job = { isRequested: false, failures: 0, running: undefined, cancelRetry: undefined };
      this.#jobs.set(key, job);
    }
    job.isRequested = true;
    // Wait for the next run, because the current run may have read its state before this call.
    await job.running;
    if (job.isRequested && !this.#isStopped) job.running ??= this.#run(key, job);
    await job.running;
  }

  stop(): void {
    this.#isStopped = true;
    for (const job of this.#jobs.values()) job.cancelRetry?.();
    this.#jobs.clear();
  }

  async #run(key: string, job: Job): Promise<void> {
    job.isRequested = false;
    job.cancelRetry?.();
    job.cancelRetry = undefined;
    try {
      await this.#options.reconcile(key);
      job.failures = 0;
    } catch (error) {
      this.#handleFailure(key, job, error);
    }
    job.running = undefined;
    if (!job.isRequested && job.cancelRetry === undefined && this.#jobs.get(key) === job) this.#jobs.delete(key);
  }

  #handleFailure(key: string, job: Job, error: unknown): void {
    if (this.#isStopped) return;
    const { name, clock, log } = this.#options;
    job.failures++;
    log.warn({ error, key, failures: job.failures }, `${name} failed; retrying with backoff`);
    job.cancelRetry = clock.after(backoffDelay(job.failures, retry), () => void this.add(key));
  }
}
