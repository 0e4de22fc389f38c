import { open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { HeldLogs } from './held-logs.ts';
import { codeOf, type Level, openLevel, rootCause } from './level-open.ts';
import { RowDamaged } from './row-check.ts';
import { endRow } from './row-codec.ts';
import { StoreError, storeClosed } from './store-error.ts';

export type LevelOperation =
  | { readonly type: 'put'; readonly key: string; readonly value: string }
  | { readonly type: 'del'; readonly key: string };

/**
 * The handle on LevelDB, and its replacement after a write has failed. LevelDB must not be written to after that (what
 * follows a half-written record of its log may be lost at recovery), but can still be read.
 */
export class LevelMedium {
  readonly #directory: string;
  readonly #logs: HeldLogs;
  #db: Level;
  #mustReopen = false;
  #down = false;
  #opening: Promise<void> | undefined;
  #closed = false;

  constructor(directory: string, db: Level) {
    this.#directory = directory;
    this.#logs = new HeldLogs(directory);
    this.#db = db;
  }

  /** A write has failed: nothing may be written before `reopen`. */
  get mustReopen(): boolean {
    return this.#mustReopen;
  }

  /** Waits while the handle is being replaced; runs again if it was replaced underneath. */
  async read<T>(work: (db: Level) => Promise<T>): Promise<T> {
    for (;;) {
      const db = await this.handle();
      try {
        return await work(db);
      } catch (error) {
        if (!this.isReplaced(db)) throw this.asStoreError(error);
      }
    }
  }

  /** For what is read within microseconds: done at once. undefined: the handle is being replaced, use `read`. */
  readNow<T>(work: (db: Level) => T): T | undefined {
    if (this.#down || this.#opening !== undefined || this.#closed) return undefined;
    try {
      return work(this.#db);
    } catch (error) {
      throw this.asStoreError(error);
    }
  }

  /** For reads that cannot simply run again; `isReplaced` tells afterwards whether an error came from that. */
  async handle(): Promise<Level> {
    if (this.#down && this.#opening === undefined) this.#opening = this.#open();
    await this.#opening;
    if (this.#closed) throw storeClosed();
    return this.#db;
  }

  isReplaced(db: Level): boolean {
    return !this.#closed && (db !== this.#db || this.#opening !== undefined);
  }

  /** One batch, one flush. Rejects if it is not known to be durable. */
  async write(operations: readonly LevelOperation[]): Promise<void> {
    try {
      // A chained batch takes half the time of one handed over as an array, which classic-level copies.
      const batch = this.#db.batch();
      let bytes = 0;
      for (const operation of operations) {
        if (operation.type === 'put') {
          batch.put(operation.key, operation.value);
          bytes += operation.value.length;
        } else batch.del(operation.key);
      }
      await batch.write({ sync: true });
      this.#logs.written(bytes);
    } catch (error) {
      this.#mustReopen = true;
      throw this.asStoreError(error);
    }
  }

  /** Opens LevelDB anew, if the disk can be written. Throws Unavailable; reads then go on with the old handle. */
  async reopen(): Promise<void> {
    try {
      await assertReopens(this.#directory);
    } catch (error) {
      throw this.asStoreError(error);
    }
    this.#opening = this.#open();
    await this.#opening;
    this.#mustReopen = false;
  }

  /** Throws Unavailable if the disk takes nothing. */
  async probe(): Promise<void> {
    try {
      await probe(join(this.#directory, 'write-probe'));
    } catch (error) {
      throw this.asStoreError(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => {});
    if (!this.#mustReopen) await this.#endLog();
    try {
      await this.#db.close();
    } finally {
      await this.#logs.close();
    }
  }

  /**
   * What stands last in the log cannot be told from a torn write if it is damaged (see findLogDamage); so, what stands
   * last after an orderly end is something that nobody misses. Without it everything is there all the same.
   */
  async #endLog(): Promise<void> {
    await this.#db.batch([{ type: 'del', key: endRow }], { sync: true }).catch(() => {});
  }

  asStoreError(error: unknown): StoreError {
    if (this.#closed) return storeClosed();
    if (error instanceof StoreError) return error;
    const cause = rootCause(error);
    const reason = cause.message;
    if (cause instanceof RowDamaged || codeOf(cause) === 'LEVEL_CORRUPTION') {
      return new StoreError('Damaged', `the store is damaged: ${reason}`, undefined, { cause: error });
    }
    return new StoreError('Unavailable', `${troubleOf(reason)}: ${reason}`, undefined, { cause: error });
  }

  async #open(): Promise<void> {
    try {
      await this.#db.close();
      this.#down = true;
      this.#db = await openLevel(this.#directory);
      this.#down = false;
    } catch (error) {
      throw new StoreError('Unavailable', rootCause(error).message, undefined, { cause: error });
    } finally {
      this.#opening = undefined;
    }
  }
}

function troubleOf(reason: string): string {
  if (/no space left/i.test(reason)) return 'the disk of the data directory is full';
  if (/read-only file system/i.test(reason)) return 'the disk of the data directory is read-only';
  return 'the store cannot use its disk';
}

/** For the manifest, and for what a compaction still under way may take. */
const elbowRoom = 2 * 1024 * 1024;

/** LevelDB is closed only if it will open again: its logs become tables then, and the disk must take writes at all. */
async function assertReopens(directory: string): Promise<void> {
  const logs = (await readdir(directory)).filter((file) => file.endsWith('.log'));
  const sizes = await Promise.all(logs.map(async (file) => (await stat(join(directory, file))).size));
  const needed = sizes.reduce((sum, size) => sum + 2 * size, elbowRoom);
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < needed) {
    const message = `the disk of the data directory is full: ${bavail * bsize} bytes free, ${needed} are needed to go on`;
    throw new StoreError('Unavailable', message);
  }
  await probe(join(directory, 'write-probe'));
}

async function probe(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.write(Buffer.alloc(4096));
    await file.datasync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
