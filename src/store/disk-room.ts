import { statfs } from 'node:fs/promises';
import type { Clock } from '../lib/clock.ts';
import { StoreError } from './store-error.ts';
import { reserveOn } from './write-buffer.ts';

const mebibyte = 1024 * 1024;

/** An answer this far from the reserve may be a little old; nearer, the disk is asked before every batch. */
const farAway = 64 * mebibyte;
const longestTrust = 1_000;
/** A byte is written to the log, to a table, and on average some times more while tables are merged. */
const writeAmplification = 4;

export interface DiskRoomOptions {
  readonly directory: string;
  readonly clock: Clock;
  /** Bytes that are never filled. Absent: `reserveOn` its disk. */
  readonly reserveBytes: number | undefined;
}

/**
 * Refuses a write before the disk is full. LevelDB takes no more writes after one to its log has failed, and opening
 * it anew needs space itself; so the last bytes are kept for that. Upkeep, which makes room, may use half of them.
 */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #known: { readonly free: number; readonly reserve: number; readonly at: number } | undefined;
  #spent = 0;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** Rejects with Unavailable. undefined: there is room, and nobody had to be asked. */
  assertRoom(bytes: number, upkeep: boolean): Promise<void> | undefined {
    this.#spent += bytes * writeAmplification;
    return this.#isFarAway() ? undefined : this.#assertByAsking(bytes, upkeep);
  }

  async #assertByAsking(bytes: number, upkeep: boolean): Promise<void> {
    const { free, reserve } = await this.#ask();
    const kept = upkeep ? reserve / 2 : reserve;
    if (free - bytes >= kept) return;
    this.#known = undefined;
    throw new StoreError(
      'Unavailable',
      `the disk of the data directory is full: ${free} bytes free, of which ${kept} are kept in reserve`,
    );
  }

  #isFarAway(): boolean {
    if (this.#known === undefined) return false;
    const { free, reserve, at } = this.#known;
    const age = this.#options.clock.elapsed() - at;
    return age < longestTrust && free - this.#spent > reserve + farAway;
  }

  async #ask(): Promise<{ free: number; reserve: number }> {
    const { directory, clock, reserveBytes } = this.#options;
    try {
      const { bavail, blocks, bsize } = await statfs(directory);
      const reserve = reserveBytes ?? reserveOn(blocks * bsize);
      this.#known = { free: bavail * bsize, reserve, at: clock.elapsed() };
      this.#spent = 0;
      return this.#known;
    } catch (error) {
      throw new StoreError('Unavailable', `the disk of the data directory does not answer: ${error}`, undefined, {
        cause: error,
      });
    }
  }
}
