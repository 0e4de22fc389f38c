import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface WatchStormOptions {
  readonly url: string;
  readonly ca: string;
  /** The access keys of the clients. */
  readonly keys: readonly string[];
  /** The number of clients. Each has one HTTP/2 connection. */
  readonly clients: number;
  readonly watchesPerClient: number;
  readonly path: string;
}

interface Counts {
  readonly open: number;
  readonly refused: number;
  readonly failed: number;
}

/**
 * Clients that open all of their watches at once. After a refusal, they wait for the time in `Retry-After`. After the
 * end of a watch, they open it again.
 */
export class WatchStorm {
  readonly #child: ChildProcess;
  readonly #size: number;
  counts: Counts = { open: 0, refused: 0, failed: 0 };

  constructor(options: WatchStormOptions) {
    this.#size = options.clients * options.watchesPerClient;
    this.#child = fork(fileURLToPath(new URL('watch-storm-client.mjs', import.meta.url)));
    this.#child.on('message', (counts: Counts) => {
      this.counts = counts;
    });
    this.#child.send(options);
  }

  get isComplete(): boolean {
    return this.counts.open === this.#size;
  }

  /** Waits until the clients report the end of at least one watch. */
  async interrupted(): Promise<void> {
    while (this.isComplete) await once(this.#child, 'message');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
