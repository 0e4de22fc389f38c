import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { notImplemented } from '../api/status.ts';

export interface LogPlace {
  /** The file that is being written; the youngest that was set aside ends in `.1`. */
  readonly path: string;
  readonly keptFiles: number;
}

/** A file of the log, which is set aside under other names while somebody reads it. */
export interface LogFile {
  /** Its number in the file system, which a rename does not change. */
  readonly number: bigint;
  /** As of the moment at which it was found. */
  readonly size: number;
  /** The name that it had then: 0 is the one that is being written. Later it is this one or a higher one. */
  readonly index: number;
}

/** Files are set aside one after the other, each after many lines: it does not happen twice in a row. */
const mostTries = 3;

/** The files of the log, newest first, each once, whatever is set aside meanwhile; those without a line are left out. */
export async function findLogFiles(place: LogPlace): Promise<LogFile[]> {
  for (let tries = 1; ; tries++) {
    const files = await findAll(place);
    const current = await statOf(place, 0);
    // Had one been set aside meanwhile, a file under a higher number could be younger than those before it.
    if (tries === mostTries || current?.ino === files[0]?.number) return files.filter(({ size }) => size > 0);
  }
}

async function findAll(place: LogPlace): Promise<LogFile[]> {
  const files: LogFile[] = [];
  let gaps = 0;
  // While files are set aside one name is free; two are free after the last.
  for (let index = 0; index <= place.keptFiles && gaps < 2; index++) {
    const stats = await statOf(place, index);
    if (index === 0 && stats?.isFile() === false) {
      throw notImplemented('the audit log goes elsewhere than to a file, and cannot be searched from here');
    }
    gaps = stats === undefined ? gaps + 1 : 0;
    if (stats === undefined || files.some(({ number }) => number === stats.ino)) continue;
    files.push({ number: stats.ino, size: Number(stats.size), index });
  }
  return files;
}

/** Runs what reads a file, under whatever name it lies now. undefined: it is gone, as so many are kept and no more. */
export async function withLogFile<T>(
  place: LogPlace,
  { number, index }: LogFile,
  read: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  for (let name = index; name <= place.keptFiles; name++) {
    // A pipe would make whoever opens it wait for somebody who writes.
    const file = await open(pathOf(place, name), constants.O_RDONLY | constants.O_NONBLOCK).catch(missing);
    if (file === undefined) continue;
    try {
      if ((await file.stat({ bigint: true })).ino === number) return await read(file);
    } finally {
      await file.close();
    }
  }
  return undefined;
}

const longestBeginning = 4_096;

/** How a file begins, in short: its number is given to another when it is gone, and this never changes. */
export async function beginningOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(longestBeginning), 0, longestBeginning, 0);
  const end = buffer.subarray(0, bytesRead).indexOf('\n');
  const beginning = buffer.subarray(0, end < 0 ? bytesRead : end);
  return createHash('sha256').update(beginning).digest('hex').slice(0, 16);
}

function pathOf({ path }: LogPlace, index: number): string {
  return index === 0 ? path : `${path}.${index}`;
}

async function statOf(place: LogPlace, index: number): Promise<BigIntStats | undefined> {
  return await stat(pathOf(place, index), { bigint: true }).catch(missing);
}

function missing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
