import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { percentile } from './percentile.ts';

/** The load of the machine in a period. */
export interface Load {
  /** The time for which a thread waited for a processor when it woke, in milliseconds. */
  readonly delay: { readonly p99: number; readonly worst: number };
  /**
   * The elapsed time of a calculation divided by its processor time: 1 if the calculation never waited for a processor.
   */
  readonly slowdown: number;
}

/**
 * Measures how busy the machine of a test is. Other programs delay every request, whatever the server does. The
 * measuring thread shares no work with the server.
 */
export class MachineLoad {
  readonly #thread = new Worker(new URL('./machine-load-thread.mjs', import.meta.url));

  /** Calculates for a while. Returns the elapsed time divided by the processor time. */
  async slowdown(): Promise<number> {
    return (await this.#ask('calculate')) as number;
  }

  begin(): void {
    this.#thread.postMessage('begin');
  }

  /** Returns the load since `begin`. */
  async end(): Promise<Load> {
    const { delays, slowdown } = (await this.#ask('end')) as { delays: number[]; slowdown: number };
    return { delay: { p99: percentile(delays, 0.99), worst: percentile(delays, 1) }, slowdown };
  }

  async stop(): Promise<void> {
    const ended = once(this.#thread, 'exit');
    this.#thread.postMessage('stop');
    await ended;
  }

  async #ask(command: string): Promise<unknown> {
    const received = once(this.#thread, 'message');
    this.#thread.postMessage(command);
    const [answer] = await received;
    return answer;
  }
}
