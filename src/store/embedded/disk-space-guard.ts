import { statfs } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { StoreError } from '../store-error.ts';
import { diskReserveBytes } from './write-buffer.ts';

const mebibyte = 1024 * 1024;

/**
 * If the free space exceeds the reserve by less than this number of bytes, the free space is measured before every
 * batch. Otherwise a measurement is reused for up to `maxAgeMs` milliseconds.
 */
const safeDistance = 64 * mebibyte;
const maxAgeMs = 1_000;
/**
 * An estimate of how many bytes reach the disk per byte of a write: each byte is written to the log and to a table, and
 * is copied when tables are merged.
 */
const writeAmplification = 4;
/** If less than this multiple of the reserve is free, the space is low, and old history is removed early. */
const lowFactor = 1.25;

/**
 * Writes that free space may use the reserve: removals of objects may use a quarter of it, and maintenance half. The
 * other half is for merging tables and for opening the database.
 */
export type SpaceUse = 'ordinary' | 'removal' | 'maintenance';
const reservedShare: Readonly<Record<SpaceUse, number>> = { ordinary: 1, removal: 3 / 4, maintenance: 1 / 2 };

export interface DiskSpaceGuardOptions {
  readonly directory: string;
  readonly clock: Clock;
  /**
   * The number of bytes that must stay free. If `undefined`, `diskReserveBytes` computes it from the size of the disk.
   */
  readonly reserveBytes: number | undefined;
}

/** The space of the disk in bytes, and the part of it that is reserved. */
interface DiskSpace {
  readonly free: number;
  readonly reserve: number;
}

/**
 * Rejects writes before the disk is full. LevelDB needs free space to merge its tables, and to be reopened after a
 * failed write or a crash. This space is therefore reserved. Writes that free space may use a part of it (`SpaceUse`).
 */
export class DiskSpaceGuard {
  readonly #options: DiskSpaceGuardOptions;
  #measured: (DiskSpace & { readonly at: number }) | undefined;
  #writtenSince = 0;

  constructor(options: DiskSpaceGuardOptions) {
    this.#options = options;
  }

  /**
   * Measures the free space. Resolves with a function that returns an error if there is too little space for the given
   * `SpaceUse`. Returns `undefined` without measuring if a recent measurement already shows enough space for a batch of
   * this number of bytes.
   */
  check(bytes: number): Promise<(use: SpaceUse) => StoreError | undefined> | undefined {
    this.#writtenSince += bytes * writeAmplification;
    return this.#isSafe() ? undefined : this.#measureFor(bytes);
  }

  /** Measures the free space. Returns true if the free space is low, so history must be removed early. */
  async isLow(): Promise<boolean> {
    const { free, reserve } = await this.#measure();
    return free < reserve * lowFactor;
  }

  async #measureFor(bytes: number): Promise<(use: SpaceUse) => StoreError | undefined> {
    const { free, reserve } = await this.#measure();
    return (use) => (free - bytes >= reserve * reservedShare[use] ? undefined : outOfSpace(free, reserve, use));
  }

  #isSafe(): boolean {
    if (this.#measured === undefined) return false;
    const { free, reserve, at } = this.#measured;
    const age = this.#options.clock.elapsed() - at;
    return age < maxAgeMs && free - this.#writtenSince > reserve + safeDistance;
  }

  async #measure(): Promise<DiskSpace> {
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

function outOfSpace(free: number, reserve: number, use: SpaceUse): StoreError {
  const remedy =
    use === 'ordinary'
      ? 'delete objects that are not needed, for example virtual clusters or large secrets (deletes still work), or enlarge the disk'
      : 'the store is freeing the space of removed objects, so try again in ten seconds; if that does not help, remove other files from this disk, or enlarge it';
  return new StoreError(
    'OutOfSpace',
    `the disk of the data directory is full: ${free} bytes free, ${Math.floor(reserve * reservedShare[use])} bytes are reserved; ${remedy}`,
  );
}
