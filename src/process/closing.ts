import type { Log } from '../lib/log.ts';

/** What was opened, to be closed in the reverse order; one that fails does not keep the others open. */
export class Closing {
  readonly #log: Log;
  #steps: { name: string; close: () => void | Promise<void> }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  add(name: string, close: () => void | Promise<void>): void {
    this.#steps.push({ name, close });
  }

  async close(): Promise<void> {
    const steps = this.#steps.reverse();
    this.#steps = [];
    for (const { name, close } of steps) {
      try {
        await close();
      } catch (error) {
        this.#log.error({ err: error, part: name }, 'a part of the server could not be closed');
      }
    }
  }
}
