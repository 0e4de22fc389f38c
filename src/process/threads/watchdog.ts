import type { ThreadActivity } from './thread-activity.ts';

export interface WatchdogOptions {
  readonly activity: Pick<ThreadActivity, 'beat' | 'cpuSeconds'>;
  readonly stallSeconds: number;
  /**
   * Called once, when the thread has not returned to its event loop for `stallSeconds`. If the thread gets too little
   * CPU time, this limit is a multiple of `stallSeconds`.
   */
  onStall(): void;
  /** Called when the thread has used half a second of CPU time without returning to its event loop. Optional. */
  onBusy?(): void;
  /** Called when the thread has returned to its event loop after a call of `onBusy`. Optional. */
  onReturn?(): void;
}

const checksPerSecond = 4;
/**
 * The CPU time after which a thread that does not return to its event loop counts as busy. Elapsed time is not used,
 * because it would include the time in which an overloaded machine runs other programs.
 */
const busyCpuSeconds = 0.5;
/** The time that a new thread has to load its code, in seconds. */
const startSeconds = 60;
/**
 * If a thread has used less CPU time than this share of `stallSeconds`, it is not stuck, but waits for a CPU of an
 * overloaded machine. Its time limit is then multiplied by `starvedFactor`.
 */
const minCpuShare = 0.5;
const starvedFactor = 3;

/**
 * Watches a thread. Counts checks instead of measuring time, so that a pause of the whole machine or of the main thread
 * is not mistaken for a stalled thread.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #timer: NodeJS.Timeout;
  #lastBeat = 0;
  #unchanged = 0;
  #isBusy = false;
  /** The CPU time of the thread at the first check that found its heartbeat unchanged. */
  #cpuSecondsBefore = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), 1000 / checksPerSecond);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { activity, stallSeconds, onStall, onBusy, onReturn } = this.#options;
    const { beat } = activity;
    this.#unchanged = beat === this.#lastBeat ? this.#unchanged + 1 : 0;
    this.#lastBeat = beat;
    if (this.#isBusy && this.#unchanged === 0) {
      this.#isBusy = false;
      onReturn?.();
    }
    if (this.#unchanged === 1) this.#cpuSecondsBefore = activity.cpuSeconds;
    // A thread without a heartbeat is still loading its code, so it is not busy.
    if (!this.#isBusy && beat !== 0 && this.#unchanged > 1 && this.#cpuSecondsUsed >= busyCpuSeconds) {
      this.#isBusy = true;
      onBusy?.();
    }
    const limit = beat === 0 ? startSeconds : stallSeconds;
    if (this.#unchanged < limit * checksPerSecond) return;
    if (beat !== 0 && this.#isStarved()) return;
    this.stop();
    onStall();
  }

  /** The CPU time since the first check that found the thread's heartbeat unchanged. */
  get #cpuSecondsUsed(): number {
    return this.#options.activity.cpuSeconds - this.#cpuSecondsBefore;
  }

  #isStarved(): boolean {
    const { stallSeconds } = this.#options;
    if (this.#unchanged >= starvedFactor * stallSeconds * checksPerSecond) return false;
    return this.#cpuSecondsUsed < minCpuShare * stallSeconds;
  }
}
