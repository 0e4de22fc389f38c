import type { ThreadActivity } from './thread-activity.ts';

export interface WatchdogOptions {
  readonly activity: Pick<ThreadActivity, 'beat' | 'cpuSeconds'>;
  readonly stallSeconds: number;
  /** Called once, when the thread has not returned to its event loop for that time, or for a multiple if it gets no CPU. */
  onStall(): void;
  /** Called when the thread has not returned to its event loop between two checks. Optional. */
  onBusy?(): void;
  /** Called when the thread has returned to its event loop after that. Optional. */
  onReturn?(): void;
}

const checksPerSecond = 4;
/** The time that a new thread has to load its code before it is watched. */
const startSeconds = 60;
/**
 * A thread that has used less CPU time than this share of the limit is not stuck in its work: it waits for a processor of an
 * overloaded machine. It gets as many times the limit.
 */
const minCpuShare = 0.5;
const starvedFactor = 3;

/**
 * Watches a thread. Counts checks instead of measuring time, so that a pause of the whole machine or of the main thread
 * is not taken for a stalled thread.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #timer: NodeJS.Timeout;
  #lastBeat = 0;
  #unchanged = 0;
  /** The CPU time of the thread at the first check that found it unchanged. */
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
    const wasBusy = this.#unchanged > 0 && this.#lastBeat !== 0;
    this.#unchanged = beat === this.#lastBeat ? this.#unchanged + 1 : 0;
    this.#lastBeat = beat;
    if (wasBusy && this.#unchanged === 0) onReturn?.();
    if (this.#unchanged === 1) {
      this.#cpuSecondsBefore = activity.cpuSeconds;
      // Until the first beat, the thread loads its code.
      if (beat !== 0) onBusy?.();
    }
    const limit = beat === 0 ? startSeconds : stallSeconds;
    if (this.#unchanged < limit * checksPerSecond) return;
    if (beat !== 0 && this.#isStarved()) return;
    this.stop();
    onStall();
  }

  #isStarved(): boolean {
    const { activity, stallSeconds } = this.#options;
    if (this.#unchanged >= starvedFactor * stallSeconds * checksPerSecond) return false;
    return activity.cpuSeconds - this.#cpuSecondsBefore < minCpuShare * stallSeconds;
  }
}
