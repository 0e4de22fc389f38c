import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes written between two directory scans: LevelDB writes several times as many to one log. */
export const scanAfterBytes = 1024 * 1024;
/** Milliseconds until the next check, without writes, whether an old log was removed. */
const rescanAfterMs = 200;
/** The number of bytes that a file system frees in about half a millisecond. */
const stepBytes = 1024 * 1024;

/**
 * Frees removed LevelDB logs in small steps. LevelDB removes a log once its contents are in a table, and every write
 * waits for the removal: freeing 16 MiB takes a file system 6 to 15 ms, during which it flushes nothing. The file
 * system frees an open file only when it is closed. This class therefore keeps each log open and truncates removed logs
 * step by step, so that flushes can run in between. If it fails, the store still works, but with those delays.
 */
export class LogTruncator {
  readonly #directory: string;
  readonly #held = new Map<string, FileHandle>();
  #unscannedBytes = scanAfterBytes;
  #scanning: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Reports how many bytes were written. */
  onWritten(bytes: number): void {
    this.#unscannedBytes += bytes;
    if (this.#unscannedBytes < scanAfterBytes) return;
    this.#unscannedBytes = 0;
    this.#startScan();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#scanning;
    const files = [...this.#held.values()];
    this.#held.clear();
    await Promise.allSettled(files.map((file) => file.close()));
  }

  #startScan(): void {
    if (this.#isClosed || this.#scanning !== undefined) return;
    clearTimeout(this.#timer);
    // Errors are harmless: a log that was created and removed meanwhile, an unreadable disk, too many open files.
    this.#scanning = this.#scan()
      .catch(() => {})
      .finally(() => {
        this.#scanning = undefined;
        const hasOldLog = this.#held.size > 1;
        if (hasOldLog && !this.#isClosed) this.#timer = setTimeout(() => this.#startScan(), rescanAfterMs).unref();
      });
  }

  async #scan(): Promise<void> {
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
    // A file that still has a name, such as a hard link, is in use: do not truncate it.
    if (nlink > 0) return;
    for (let left = size - stepBytes; left > 0; left -= stepBytes) await file.truncate(left);
  } finally {
    await file.close();
  }
}
