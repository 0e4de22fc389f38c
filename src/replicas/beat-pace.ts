import { maxBeatAgeMs } from './replica-timing.ts';

/**
 * The time limit for a quick heartbeat, in milliseconds. Each heartbeat starts when the previous one has ended, so with
 * slower heartbeats a tenure would end before the next heartbeat succeeds.
 */
const quickBeatMs = maxBeatAgeMs / 2;

/** A tenure that lasts longer than this was stable. */
const stableTenureMs = 60_000;

/** The maximum number of quick heartbeats in a row before background work continues. */
const maxRequiredBeats = 30;

/**
 * Decides when background work continues after heartbeats were too slow. If the store needs seconds for each write,
 * tenures would otherwise begin and end every few seconds, and work would be started and canceled all the time.
 */
export class BeatPace {
  /**
   * The number of quick heartbeats in a row that are required before a tenure can begin. It doubles with each tenure
   * that was not stable.
   */
  #required = 0;
  #quickBeats = 0;

  /** True if a tenure that begins now can be expected to last. */
  get isSteady(): boolean {
    return this.#quickBeats >= this.#required;
  }

  /** Records a heartbeat that was written. Returns false if it was slow. */
  noteBeat(durationMs: number): boolean {
    const isQuick = durationMs < quickBeatMs;
    this.#quickBeats = isQuick ? this.#quickBeats + 1 : 0;
    return isQuick;
  }

  noteFailure(): void {
    this.#quickBeats = 0;
  }

  /** Records that a tenure has ended because its last heartbeat was too old. */
  noteExpiry(tenureMs: number): void {
    const isFirst = this.#required === 0 || tenureMs >= stableTenureMs;
    this.#required = isFirst ? 1 : Math.min(2 * this.#required, maxRequiredBeats);
    this.#quickBeats = 0;
  }
}
