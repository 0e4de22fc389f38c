import type { ThreadActivity } from './thread-activity.ts';

export interface WatchdogOptions {
  readonly activity: Pick<ThreadActivity, 'beat'>;
  readonly stallSeconds: number;
  /** Called once, when the thread has not returned to its event loop for that time. */
  onStall(): void;
}

const checksPerSecond = 4;
/** The time that a new thread has to load its code before it is watched. */
const startSeconds = 60;

/**
 * Watches a thread. Counts checks instead of measuring time, so that a pause of the whole machine or of the main thread
 * is not taken for a stalled thread.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #timer: NodeJS.Timeout;
  #lastBeat = 0;
  #unchanged = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), 1000 / checksPerSecond);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { activity, stallSeconds, onStall } = this.#options;
    const { beat } = activity;
    this.#unchanged = beat === this.#lastBeat ? this.#unchanged + 1 : 0;
    this.#lastBeat = beat;
    const limit = beat === 0 ? startSeconds : stallSeconds;
    if (this.#unchanged < limit * checksPerSecond) return;
    this.stop();
    onStall();
  }
}
