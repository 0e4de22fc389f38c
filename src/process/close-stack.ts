import type { Log } from '../lib/log.ts';

/**
 * Closes resources in the reverse order of opening. If closing one of them fails, the remaining resources are closed
 * anyway.
 */
export class CloseStack {
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
        this.#log.error({ err: error, part: name }, 'failed to close a component of the server');
      }
    }
  }
}
