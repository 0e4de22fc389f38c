import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { notImplemented } from '../api/status.ts';

export interface AuditLogLocation {
  /** The path of the current file. Rotated files have a numeric suffix: `.1` is the newest. */
  readonly path: string;
  readonly keptFiles: number;
}

/** One file of the audit log: the current file or a rotated one. Rotation may rename it while it is being read. */
export interface AuditLogFile {
  /** The inode number. It identifies the file after rotation has renamed it. */
  readonly inode: bigint;
  /** Size in bytes at the time of `findAuditLogFiles`. */
  readonly size: number;
  /**
   * The number in the file's suffix at the time of `findAuditLogFiles`; 0 for the current file. Rotation can only
   * increase the number.
   */
  readonly index: number;
}

/**
 * The maximum number of attempts to list the files without a concurrent rotation. Rotations are rare, so the second
 * attempt nearly always succeeds.
 */
const maxAttempts = 3;

/**
 * Lists the non-empty files of the audit log, newest first. A concurrent rotation neither duplicates nor hides a file.
 */
export async function findAuditLogFiles(location: AuditLogLocation): Promise<AuditLogFile[]> {
  for (let attempt = 1; ; attempt++) {
    const files = await findAll(location);
    const current = await statOf(location, 0);
    // If a rotation happened during `findAll`, the files may not be in order of age, so list them again.
    if (attempt === maxAttempts || current?.ino === files[0]?.inode) return files.filter(({ size }) => size > 0);
  }
}

async function findAll(location: AuditLogLocation): Promise<AuditLogFile[]> {
  const files: AuditLogFile[] = [];
  let gaps = 0;
  // During a rotation, one suffix is temporarily unused. Two consecutive unused suffixes mean that there are no older
  // files.
  for (let index = 0; index <= location.keptFiles && gaps < 2; index++) {
    const stats = await statOf(location, index);
    if (index === 0 && stats?.isFile() === false) {
      throw notImplemented(
        'the audit log cannot be searched, because it is written to a device or a pipe instead of a regular file',
      );
    }
    gaps = stats === undefined ? gaps + 1 : 0;
    if (stats === undefined || files.some(({ inode }) => inode === stats.ino)) continue;
    files.push({ inode: stats.ino, size: Number(stats.size), index });
  }
  return files;
}

/**
 * Opens a log file, even if rotation has renamed it, and returns the result of `read`. Returns `undefined` if rotation
 * has removed the file.
 */
export async function withAuditLogFile<T>(
  location: AuditLogLocation,
  { inode, index }: AuditLogFile,
  read: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  for (let name = index; name <= location.keptFiles; name++) {
    // Open without blocking, because the log can be a named pipe. Without O_NONBLOCK, opening a pipe blocks until
    // another process writes to it.
    const file = await open(auditLogPath(location, name), constants.O_RDONLY | constants.O_NONBLOCK).catch(missing);
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

/**
 * Returns a digest of the file's first line. The digest identifies the file during its whole lifetime. The inode number
 * is not sufficient, because the file system reuses it after the file was removed.
 */
export async function firstLineDigest(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxFirstLineBytes), 0, maxFirstLineBytes, 0);
  const end = buffer.subarray(0, bytesRead).indexOf('\n');
  const beginning = buffer.subarray(0, end < 0 ? bytesRead : end);
  return createHash('sha256').update(beginning).digest('hex').slice(0, 16);
}

/** Returns the path of a log file. `index` is the number in the suffix; 0 is the current file. */
export function auditLogPath({ path }: AuditLogLocation, index: number): string {
  return index === 0 ? path : `${path}.${index}`;
}

async function statOf(location: AuditLogLocation, index: number): Promise<BigIntStats | undefined> {
  return await stat(auditLogPath(location, index), { bigint: true }).catch(missing);
}

function missing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
