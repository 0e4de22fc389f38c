import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NetworkRoom } from './network-room.ts';

const program = fileURLToPath(new URL('./slow-link.py', import.meta.url));

/** The reason why no slow link can be created; `undefined` if there is none. */
export const slowLinkMissing = existsSync('/dev/net/tun') ? undefined : 'a slow link needs /dev/net/tun';

export interface SlowLinkOptions {
  /** The addresses outside and inside the namespace, in one /30 range. */
  readonly addresses: readonly [string, string];
  /** The delay in each direction. */
  readonly delayMilliseconds: number;
  /** The percentage of lost packets in each direction. */
  readonly lossPercent: number;
}

/** An additional link of a network namespace, with a delay and packet loss in each direction. */
export class SlowLink {
  readonly #program: ChildProcess;

  private constructor(running: ChildProcess) {
    this.#program = running;
  }

  static async open(room: NetworkRoom, options: SlowLinkOptions): Promise<SlowLink> {
    const [outside, inside] = room.linkNames('s');
    const args = [program, outside, inside, String(options.delayMilliseconds), String(options.lossPercent)];
    const running = spawn('python3', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const link = new SlowLink(running);
    const ended = once(running, 'exit').then(([code]) => {
      throw new Error(`slow-link.py exited with ${code}`);
    });
    await Promise.race([once(running.stdout, 'data'), ended]);
    // After the successful start, a later exit of the program is not an error.
    ended.catch(() => {});
    room.addLink([outside, inside], options.addresses);
    return link;
  }

  async close(): Promise<void> {
    if (this.#program.exitCode !== null || this.#program.signalCode !== null) return;
    const ended = once(this.#program, 'exit');
    this.#program.stdin?.end();
    await ended;
  }
}
