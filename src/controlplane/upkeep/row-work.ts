import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { isStoreClosed } from '../../store/store-error.ts';
import { longestPause, Postponed } from './postponed.ts';

export interface RowWorkOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** What is looked for, for the log. */
  readonly what: string;
  /** Goes once through the rows and begins what is due; stops when the work is stopped. */
  look(): Promise<void>;
}

/** What is done side by side: one that takes its time (a virtual cluster that starts) must not hold up the others. */
const most = 16;

/**
 * Work from rows in the store: one look through them at a time, another one if somebody asked for it meanwhile or what
 * was postponed is due, and what they find to do side by side, each thing once at a time.
 */
export class RowWork {
  readonly postponed: Postponed;
  readonly #options: RowWorkOptions;
  readonly #active = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;
  #wanted = false;
  #stopped = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: RowWorkOptions) {
    this.#options = options;
    this.postponed = new Postponed(options.clock, options.log);
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#active.size === 0;
  }

  wake(): void {
    if (this.#stopped) return;
    this.#wanted = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#wanted) this.wake();
    });
  }

  async idle(): Promise<void> {
    while (!this.isIdle) {
      await this.#running;
      await Promise.all(this.#active.values());
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wanted = false;
    this.#cancelTimer?.();
    await this.idle();
  }

  isActive(id: string): boolean {
    return this.#active.has(id);
  }

  /** Nothing more is to be begun before `oneEnds`. */
  get isFull(): boolean {
    return this.#active.size >= most;
  }

  async oneEnds(): Promise<void> {
    await Promise.race(this.#active.values());
  }

  /** The work says whether there is more to look for afterwards, and never rejects. Nothing if it is at work already. */
  begin(id: string, work: () => Promise<boolean>): void {
    if (this.#active.has(id)) return;
    const active = work().then((hasMore) => {
      this.#active.delete(id);
      if (hasMore) this.wake();
    });
    this.#active.set(id, active);
  }

  async #run(): Promise<void> {
    const { clock, log, what } = this.#options;
    while (this.#wanted && !this.#stopped) {
      this.#wanted = false;
      this.#cancelTimer?.();
      try {
        this.postponed.begin();
        await this.#options.look();
        const { soonest } = this.postponed;
        if (soonest < Number.POSITIVE_INFINITY && !this.#stopped) {
          this.#cancelTimer = clock.after(soonest, () => this.wake());
        }
      } catch (error) {
        if (this.#stopped || isStoreClosed(error)) return;
        log.error({ error: String(error) }, `upkeep could not look for ${what}; it looks again in a minute`);
        this.#cancelTimer = clock.after(longestPause, () => this.wake());
      }
    }
  }
}
