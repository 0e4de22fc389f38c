import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { type Appender, createAppender } from './appender.ts';
import { AuditChain, type SignHead } from './chain/audit-chain.ts';
import { countTornBytes, findChainHead } from './chain/find-chain-head.ts';

export interface LogWriterOptions {
  readonly path: string;
  /** Size in bytes at which the log file is rotated. */
  readonly maxBytes: number;
  /** The number of rotated files to retain in addition to the current file. */
  readonly keptFiles: number;
  /**
   * Rotated files that are retained in addition to `keptFiles`, because a forwarder has not sent them yet. Optional.
   */
  readonly held?: HeldFiles | undefined;
  readonly append?: Appender | undefined;
  readonly sign?: SignHead | undefined;
}

export interface HeldFiles {
  /** Returns the current number of rotated files to retain. Called before each rotation. */
  count(): Promise<number>;
  /**
   * The largest number that any call of `count` may have returned. Rotated files up to this number can exist. Rotation
   * removes those beyond the current number.
   */
  readonly most: number;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly lines: number;
  resolve(): void;
  reject(error: unknown): void;
}

interface OpenedLog {
  readonly file: FileHandle;
  readonly size: number;
  readonly append: Appender;
  readonly chain: AuditChain;
  readonly repairedBytes: number;
  readonly isFile: boolean;
}

/** Writes lines to the files of an audit log, adds their links, and rotates the files. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #append: Appender;
  readonly chain: AuditChain;
  /** The number of bytes of an interrupted write that were removed when the log was opened. */
  readonly repairedBytes: number;
  /** False if the log is a device or a pipe. */
  readonly isFile: boolean;
  #file: FileHandle;
  #size: number;
  /** True if the file may end with part of a failed write. */
  #isTorn = false;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  /** The number of lines that wait to be written. */
  waitingLines = 0;

  private constructor(options: LogWriterOptions, opened: OpenedLog) {
    const { file, size, append, chain, repairedBytes, isFile } = opened;
    this.#options = options;
    this.#append = append;
    this.chain = chain;
    this.repairedBytes = repairedBytes;
    this.isFile = isFile;
    this.#file = file;
    this.#size = size;
  }

  /** Opens the current file, and removes an incomplete write from its end. */
  static async open(options: LogWriterOptions): Promise<LogWriter> {
    const { path, keptFiles, held, sign } = options;
    const file = await openFile(path);
    const stats = await file.stat();
    const isFile = stats.isFile();
    const repairedBytes = isFile ? await removeTornLine(path, stats.size) : 0;
    const chain = new AuditChain({
      head: isFile ? await findChainHead({ path, keptFiles: keptFiles + (held?.most ?? 0) }) : undefined,
      sign,
      repairedBytes: repairedBytes === 0 ? undefined : repairedBytes,
    });
    const append = options.append ?? createAppender({ isFile });
    return new LogWriter(options, { file, size: stats.size - repairedBytes, append, chain, repairedBytes, isFile });
  }

  /**
   * Writes complete lines. Returns `undefined` after a synchronous write. For an asynchronous write, copies the lines
   * before it returns a promise.
   */
  write(lines: Uint8Array, count: number): Promise<void> | undefined {
    if (this.#writeSync(lines, count)) return undefined;
    this.waitingLines += count;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes: Buffer.from(lines), lines: count, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves after all lines that were passed to `write` before the call are on the disk. */
  async sync(): Promise<void> {
    await this.#running;
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#file.close();
  }

  /**
   * Writes the lines now. Returns false if that is not possible: an asynchronous write is running, or a truncation or
   * rotation is due.
   */
  #writeSync(lines: Uint8Array, count: number): boolean {
    if (this.#running !== undefined || this.#isTorn || !this.#append.mayAppendSync()) return false;
    const linked = this.chain.link(lines, count, this.#size === 0);
    if (this.#needsRotation(linked.bytes)) return false;
    this.#isTorn = true;
    this.#append.appendSync(this.#file, linked.bytes);
    this.#isTorn = false;
    this.#size += linked.bytes.length;
    this.chain.accept(linked);
    return true;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await endOfTick();
      const batch = this.#waiting;
      this.#waiting = [];
      this.waitingLines = 0;
      try {
        await this.#writeAsync(batch);
        for (const each of batch) each.resolve();
      } catch (error) {
        for (const each of batch) each.reject(error);
      }
    }
    this.#running = undefined;
  }

  async #writeAsync(batch: readonly Waiting[]): Promise<void> {
    const lines = Buffer.concat(batch.map((each) => each.bytes));
    const count = batch.reduce((sum, each) => sum + each.lines, 0);
    if (this.#isTorn) {
      await this.#file.truncate(this.#size);
      this.#isTorn = false;
    }
    let linked = this.chain.link(lines, count, this.#size === 0);
    if (this.#needsRotation(linked.bytes)) {
      await this.#rotate();
      linked = this.chain.link(lines, count, this.#size === 0);
    }
    this.#isTorn = true;
    await this.#append.appendAsync(this.#file, linked.bytes);
    this.#isTorn = false;
    this.#size += linked.bytes.length;
    this.chain.accept(linked);
  }

  #needsRotation(bytes: Uint8Array): boolean {
    return this.#size > 0 && this.#size + bytes.length > this.#options.maxBytes;
  }

  async #rotate(): Promise<void> {
    const { path, keptFiles, held } = this.#options;
    const kept = keptFiles + (held === undefined ? 0 : await held.count());
    const most = keptFiles + (held?.most ?? 0);
    for (let index = kept + 1; index <= most; index++) await rm(`${path}.${index}`, { force: true });
    for (let index = kept; index >= 1; index--) {
      const older = index === 1 ? path : `${path}.${index - 1}`;
      await rename(older, `${path}.${index}`).catch(ignoreMissing);
    }
    if (kept === 0) await rm(path, { force: true });
    const next = await openFile(path);
    // Flush the lines to the disk, because the server must sign only lines that survive a power failure.
    await this.#file.datasync();
    await this.#file.close();
    this.#file = next;
    this.#size = (await next.stat()).size;
  }
}

/** Waits until the end of the current tick of the event loop, so that all lines of the tick share one write. */
function endOfTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'a', 0o600);
  // Restrict an existing log file to its owner, as for a new log file. Do not change a device or a pipe.
  const stats = await file.stat();
  if (stats.isFile() && (stats.mode & 0o077) !== 0) await file.chmod(0o600);
  return file;
}

/**
 * Removes an incomplete write from the end of the file, so that the next line starts on its own line. Returns the
 * number of removed bytes.
 */
async function removeTornLine(path: string, size: number): Promise<number> {
  const file = await open(path, 'r+');
  try {
    const torn = await countTornBytes(file, size);
    if (torn > 0) await file.truncate(size - torn);
    return torn;
  } finally {
    await file.close();
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
