import type { FileHandle } from 'node:fs/promises';
import type { ChainHead, ChainLink } from '../../api/audit/audit-chain.ts';
import { readLink } from '../chain/chain-format.ts';
import { type AuditLogFile, type AuditLogLocation, findAuditLogFiles, withAuditLogFile } from '../log-files.ts';
import { readLinesForwards } from '../read-lines-forwards.ts';

/** Consecutive lines of the log, in order. */
export interface FollowedLines {
  readonly lines: readonly string[];
  /** The last element of `lines`. If there are no lines, the position at which reading started. */
  readonly last: ChainHead;
  /** The number of lines after the start position that are no longer in the log, up to the first element of `lines`. */
  readonly missing: number;
}

const maxLines = 500;
const maxBytes = 1024 * 1024;

interface Cursor {
  readonly inode: bigint;
  /**
   * The number of the first line of the file, which identifies the file. The inode number is not sufficient, because it
   * is reused after the file was removed.
   */
  readonly firstSeq: number | undefined;
  readonly offset: number;
  /** The number of the last line before the offset. */
  readonly seq: number;
}

/** Reads an audit log from the oldest line to the newest, also across rotated files. */
export class LogFollower {
  readonly #location: AuditLogLocation;
  #cursor: Cursor | undefined;

  constructor(location: AuditLogLocation) {
    this.#location = location;
  }

  /** Returns lines after `position`, up to the line `newest`. Omits lines without links. */
  async read(position: ChainHead, newest: number): Promise<FollowedLines> {
    if (position.seq >= newest) return { lines: [], last: position, missing: 0 };
    const files = (await findAuditLogFiles(this.#location)).reverse();
    const known = this.#cursor?.seq === position.seq ? this.#cursor : undefined;
    const cursorAt = known === undefined ? -1 : await this.#positionOf(files, known);
    const start = cursorAt >= 0 ? cursorAt : await this.#fileOf(files, position.seq + 1);
    const batch = new Batch(position, newest);
    for (const [index, file] of files.entries()) {
      if (index < start) continue;
      const offset = index === cursorAt ? (known?.offset ?? 0) : 0;
      await withAuditLogFile(this.#location, file, async (handle) => {
        for await (const { lines } of readLinesForwards(handle, { start: offset, end: file.size })) {
          batch.add(lines);
          if (batch.isFull) break;
        }
        const [end, seq] = [offset + batch.takeReadBytes(), batch.last.seq];
        this.#cursor = { inode: file.inode, firstSeq: (await firstLink(handle, file.size))?.seq, offset: end, seq };
      });
      if (batch.isFull) break;
    }
    return { lines: batch.lines, last: batch.last, missing: batch.missing };
  }

  /**
   * Returns the index of the file that contains the first line after `seq`; 0 is the current file, 1 the newest rotated
   * file.
   */
  async fileIndexAfter(seq: number): Promise<number> {
    const files = (await findAuditLogFiles(this.#location)).reverse();
    return files[await this.#fileOf(files, seq + 1)]?.index ?? 0;
  }

  /** Returns the index in `files` of the newest file whose first line is at or before the line `seq`. */
  async #fileOf(files: readonly AuditLogFile[], seq: number): Promise<number> {
    for (let index = files.length - 1; index > 0; index--) {
      const file = files[index];
      const link = file === undefined ? undefined : await this.#firstLink(file);
      if (link !== undefined && link.seq <= seq) return index;
    }
    return 0;
  }

  /** Returns the index in `files` of the file to which a cursor points; -1 if that file was removed. */
  async #positionOf(files: readonly AuditLogFile[], { inode, firstSeq }: Cursor): Promise<number> {
    const position = files.findIndex((file) => file.inode === inode);
    const file = files[position];
    if (file === undefined || (await this.#firstLink(file))?.seq !== firstSeq) return -1;
    return position;
  }

  async #firstLink(file: AuditLogFile): Promise<ChainLink | undefined> {
    return await withAuditLogFile(this.#location, file, (handle) => firstLink(handle, file.size));
  }
}

/** Returns the link of the first line of a file. */
async function firstLink(handle: FileHandle, size: number): Promise<ChainLink | undefined> {
  for await (const { lines } of readLinesForwards(handle, { start: 0, end: size, chunkBytes: 4_096 })) {
    const [first] = lines;
    return first === undefined ? undefined : readLink(first);
  }
  return undefined;
}

/** Collects the lines of one read. */
class Batch {
  readonly lines: string[] = [];
  readonly #newest: number;
  last: ChainHead;
  missing = 0;
  isFull = false;
  #bytes = 0;
  #readBytes = 0;

  constructor(position: ChainHead, newest: number) {
    this.last = position;
    this.#newest = newest;
  }

  add(lines: readonly Buffer[]): void {
    for (const line of lines) {
      if (this.lines.length >= maxLines || this.#bytes >= maxBytes) this.isFull = true;
      const link = this.isFull ? undefined : readLink(line);
      // Stop before a line that is not committed yet, because the line is removed if the rest of its write fails.
      if (link !== undefined && link.seq > this.#newest) this.isFull = true;
      if (this.isFull) return;
      this.#readBytes += line.length + 1;
      if (link === undefined || link.seq <= this.last.seq) continue;
      if (this.lines.length === 0) this.missing = link.seq - this.last.seq - 1;
      this.lines.push(line.toString());
      this.#bytes += line.length;
      this.last = { seq: link.seq, hash: link.hash };
    }
  }

  /** Returns the total length of the lines read since the last call, in bytes. */
  takeReadBytes(): number {
    const bytes = this.#readBytes;
    this.#readBytes = 0;
    return bytes;
  }
}
