import type { Log } from '../lib/log.ts';
import type { StartWork, Tenure } from './tenure.ts';

/** Work that starts with each tenure and stops at the end of the tenure. Two runs of the work never overlap. */
export class RestartableWork {
  readonly #start: StartWork;
  readonly #log: Log;
  #stop: (() => Promise<void>) | undefined;
  /** Resolves when the previous run has ended; `undefined` if no run is ending. */
  #ending: Promise<void> | undefined;
  #closed = false;

  constructor(start: StartWork, log: Log) {
    this.#start = start;
    this.#log = log;
  }

  begin(tenure: Tenure): void {
    if (this.#ending !== undefined) {
      void this.#ending.then(() => this.begin(tenure));
      return;
    }
    if (this.#closed || this.#stop !== undefined || tenure.signal.aborted) return;
    this.#stop = this.#start(tenure);
  }

  /** Stops the work. Resolves after the last piece of work has ended. */
  end(): Promise<void> {
    const stop = this.#stop;
    this.#stop = undefined;
    if (stop === undefined) return this.#ending ?? Promise.resolve();
    const ending = stop()
      .catch((error: unknown) => this.#log.error({ error: String(error) }, 'failed to stop background work'))
      .then(() => {
        this.#ending = undefined;
      });
    this.#ending = ending;
    return ending;
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.end();
  }
}
