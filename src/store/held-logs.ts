import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of writes between two looks: LevelDB writes to a log for several times as many. */
export const lookAfter = 1024 * 1024;
/** Milliseconds until it is looked whether a log that is no longer written to has been removed, if nobody writes. */
const lookAgain = 200;
/** What a file system frees in half a millisecond. */
const pieceBytes = 1024 * 1024;

/**
 * LevelDB removes a log once a table holds what was in it, and every write waits for that: to free 16 MiB takes a file
 * system some 6 to 15 ms, and it flushes nothing meanwhile. A file that somebody has open is freed when it is closed. So
 * each log is held open here, and what has lost its name is freed piece by piece, with room for flushes in between.
 * Without it everything goes on as well, with those waits.
 */
export class HeldLogs {
  readonly #directory: string;
  readonly #held = new Map<string, FileHandle>();
  #unseenBytes = lookAfter;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** So much has been written. */
  written(bytes: number): void {
    this.#unseenBytes += bytes;
    if (this.#unseenBytes < lookAfter) return;
    this.#unseenBytes = 0;
    this.#lookSoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    const files = [...this.#held.values()];
    this.#held.clear();
    await Promise.allSettled(files.map((file) => file.close()));
  }

  #lookSoon(): void {
    if (this.#isClosed || this.#looking !== undefined) return;
    clearTimeout(this.#timer);
    // A log that came and went meanwhile, a disk that cannot be read, no more files that may be open: all is as it was.
    this.#looking = this.#look()
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined;
        const isOldThere = this.#held.size > 1;
        if (isOldThere && !this.#isClosed) this.#timer = setTimeout(() => this.#lookSoon(), lookAgain).unref();
      });
  }

  async #look(): Promise<void> {
    const names = new Set((await readdir(this.#directory)).filter((name) => name.endsWith('.log')));
    for (const [name, file] of this.#held) {
      if (names.has(name)) continue;
      this.#held.delete(name);
      await free(file);
    }
    for (const name of names) {
      if (!this.#held.has(name)) this.#held.set(name, await open(join(this.#directory, name), 'r+'));
    }
  }
}

async function free(file: FileHandle): Promise<void> {
  try {
    const { nlink, size } = await file.stat();
    // One that has a name still, whoever gave it, is somebody's.
    if (nlink > 0) return;
    for (let left = size - pieceBytes; left > 0; left -= pieceBytes) await file.truncate(left);
  } finally {
    await file.close();
  }
}
