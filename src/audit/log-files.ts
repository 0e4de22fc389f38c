import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { notImplemented } from '../api/status.ts';

export interface LogLocation {
  /** Path of the current file. The most recently rotated file has the suffix `.1`. */
  readonly path: string;
  readonly keptFiles: number;
}

/** A file of the log. Rotation may rename it while it is read. */
export interface LogFile {
  /** The inode number, which a rename does not change. */
  readonly inode: bigint;
  /** Size at the time of discovery. */
  readonly size: number;
  /** The suffix at the time of discovery, 0 for the current file. It only increases later. */
  readonly index: number;
}

/** Rotations are many lines apart, so two in a row do not occur. */
const maxAttempts = 3;

/** Returns the files of the log, newest first, each once, despite concurrent rotation. Omits empty files. */
export async function findLogFiles(place: LogLocation): Promise<LogFile[]> {
  for (let attempt = 1; ; attempt++) {
    const files = await findAll(place);
    const current = await statOf(place, 0);
    // If a rotation happened meanwhile, a file with a higher suffix could be newer than the files before it.
    if (attempt === maxAttempts || current?.ino === files[0]?.inode) return files.filter(({ size }) => size > 0);
  }
}

async function findAll(place: LogLocation): Promise<LogFile[]> {
  const files: LogFile[] = [];
  let gaps = 0;
  // During a rotation one suffix is unused. Two unused suffixes in a row mark the end.
  for (let index = 0; index <= place.keptFiles && gaps < 2; index++) {
    const stats = await statOf(place, index);
    if (index === 0 && stats?.isFile() === false) {
      throw notImplemented('the audit log is not written to a regular file and cannot be searched');
    }
    gaps = stats === undefined ? gaps + 1 : 0;
    if (stats === undefined || files.some(({ inode }) => inode === stats.ino)) continue;
    files.push({ inode: stats.ino, size: Number(stats.size), index });
  }
  return files;
}

/** Opens a file under its current name and runs `read`. `undefined` if the file was removed by rotation. */
export async function withLogFile<T>(
  place: LogLocation,
  { inode, index }: LogFile,
  read: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  for (let name = index; name <= place.keptFiles; name++) {
    // Opening a pipe without O_NONBLOCK would block until it has a writer.
    const file = await open(pathOf(place, name), constants.O_RDONLY | constants.O_NONBLOCK).catch(missing);
    if (file === undefined) continue;
    try {
      if ((await file.stat({ bigint: true })).ino === inode) return await read(file);
    } finally {
      await file.close();
    }
  }
  return undefined;
}

const maxFirstLineBytes = 4_096;

/** Digest of the first line. It never changes, unlike inode numbers, which are reused after a file is removed. */
export async function firstLineDigest(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxFirstLineBytes), 0, maxFirstLineBytes, 0);
  const end = buffer.subarray(0, bytesRead).indexOf('\n');
  const beginning = buffer.subarray(0, end < 0 ? bytesRead : end);
  return createHash('sha256').update(beginning).digest('hex').slice(0, 16);
}

function pathOf({ path }: LogLocation, index: number): string {
  return index === 0 ? path : `${path}.${index}`;
}

async function statOf(place: LogLocation, index: number): Promise<BigIntStats | undefined> {
  return await stat(pathOf(place, index), { bigint: true }).catch(missing);
}

function missing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
