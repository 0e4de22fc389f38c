import { statfs } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { StoreError } from '../store-error.ts';
import { diskReserveBytes } from './write-buffer.ts';

const mebibyte = 1024 * 1024;

/**
 * Above this distance from the reserve a cached measurement is used; below it, the disk is measured for every batch.
 */
const safeDistance = 64 * mebibyte;
const maxAgeMs = 1_000;
/** Each byte is written to the log, to a table, and on average a few more times while tables are merged. */
const writeAmplification = 4;

export interface DiskSpaceGuardOptions {
  readonly directory: string;
  readonly clock: Clock;
  /** Bytes of the disk that are never filled. Optional; defaults to `diskReserveBytes` for its disk. */
  readonly reserveBytes: number | undefined;
}

/**
 * Rejects writes before the disk is full. LevelDB accepts no writes after a failed write to its log, and reopening it
 * needs free space; the reserve is for that. Maintenance, which frees space, may use half of the reserve.
 */
export class DiskSpaceGuard {
  readonly #options: DiskSpaceGuardOptions;
  #measured: { readonly free: number; readonly reserve: number; readonly at: number } | undefined;
  #writtenSince = 0;

  constructor(options: DiskSpaceGuardOptions) {
    this.#options = options;
  }

  /** Rejects with Unavailable. Returns `undefined` if there is enough space by the cached measurement. */
  assertSpace(bytes: number, isMaintenance: boolean): Promise<void> | undefined {
    this.#writtenSince += bytes * writeAmplification;
    return this.#isSafe() ? undefined : this.#measureAndAssert(bytes, isMaintenance);
  }

  async #measureAndAssert(bytes: number, isMaintenance: boolean): Promise<void> {
    const { free, reserve } = await this.#measure();
    const reserved = isMaintenance ? reserve / 2 : reserve;
    if (free - bytes >= reserved) return;
    this.#measured = undefined;
    throw new StoreError(
      'Unavailable',
      `the disk of the data directory is full: ${free} bytes free, ${reserved} bytes are reserved; free some space`,
    );
  }

  #isSafe(): boolean {
    if (this.#measured === undefined) return false;
    const { free, reserve, at } = this.#measured;
    const age = this.#options.clock.elapsed() - at;
    return age < maxAgeMs && free - this.#writtenSince > reserve + safeDistance;
  }

  async #measure(): Promise<{ free: number; reserve: number }> {
    const { directory, clock, reserveBytes } = this.#options;
    try {
      const { bavail, blocks, bsize } = await statfs(directory);
      const reserve = reserveBytes ?? diskReserveBytes(blocks * bsize);
      this.#measured = { free: bavail * bsize, reserve, at: clock.elapsed() };
      this.#writtenSince = 0;
      return this.#measured;
    } catch (error) {
      throw new StoreError('Unavailable', `the disk of the data directory cannot be queried: ${error}`, undefined, {
        cause: error,
      });
    }
  }
}
