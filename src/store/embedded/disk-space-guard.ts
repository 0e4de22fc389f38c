import { statfs } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { StoreError } from '../store-error.ts';
import { diskReserveBytes } from './write-buffer.ts';

const mebibyte = 1024 * 1024;

/**
 * If the free space exceeds the reserve by less than this number of bytes, it is measured before every batch. Otherwise
 * a measurement is reused for up to `maxAgeMs` milliseconds.
 */
const safeDistance = 64 * mebibyte;
const maxAgeMs = 1_000;
/**
 * An estimate of how many bytes reach the disk per byte of a write: each byte is written to the log and to a table, and
 * is copied when tables are merged.
 */
const writeAmplification = 4;

export interface DiskSpaceGuardOptions {
  readonly directory: string;
  readonly clock: Clock;
  /**
   * The number of bytes that must stay free. If `undefined`, `diskReserveBytes` computes it from the size of the disk.
   */
  readonly reserveBytes: number | undefined;
}

/**
 * Rejects writes before the disk is full. After a failed write, LevelDB must be reopened, and this needs free space,
 * which is therefore reserved. Maintenance may use half of the reserve, because it frees space.
 */
export class DiskSpaceGuard {
  readonly #options: DiskSpaceGuardOptions;
  #measured: { readonly free: number; readonly reserve: number; readonly at: number } | undefined;
  #writtenSince = 0;

  constructor(options: DiskSpaceGuardOptions) {
    this.#options = options;
  }

  /**
   * Rejects with StoreError OutOfSpace if there is too little space for a batch. Returns `undefined` if a recent
   * measurement already shows enough space.
   */
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
      'OutOfSpace',
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
