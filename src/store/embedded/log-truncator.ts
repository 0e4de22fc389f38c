import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The number of bytes to write before the directory is scanned for new logs. A log of LevelDB is several times as long.
 */
export const scanAfterBytes = 1024 * 1024;
/** The time in milliseconds after which the directory is scanned again if an old log still exists. */
const rescanAfterMs = 200;
/** The number of bytes that are truncated at a time. A file system takes about half a millisecond to free them. */
const stepBytes = 1024 * 1024;

/**
 * Frees the disk space of removed LevelDB logs in small steps. LevelDB removes a log after its contents are in a table.
 * A file system takes 6 to 15 ms to free 16 MiB and flushes nothing in this time, so all writes would wait. A file
 * system does not free an open file. This class therefore keeps every log open, and truncates removed logs step by
 * step. Flushes can run between the steps. If an error occurs here, the store still works, but writes may wait.
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

  /** Called after each write with its number of bytes. */
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
    // Errors are ignored, for example if a log was removed during the scan or too many files are open.
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
    // The file still has another name, for example a hard link, so its content is needed.
    if (nlink > 0) return;
    for (let left = size - stepBytes; left > 0; left -= stepBytes) await file.truncate(left);
  } finally {
    await file.close();
  }
}
