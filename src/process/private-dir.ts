import { access, constants, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../lib/private-file.ts';
import { StartError } from './start-error.ts';

/** Makes the directory (mode 0700) if it is not there, and checks that this process can work in it. */
export async function ensureDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`the data directory ${path} cannot be used: ${describe(error)}`, { cause: error });
  }
}

/**
 * With what is missing above it. One by one, as Node, asked for all at once, does not come back where a directory that is
 * there says of everything in it that it is not, as /proc does.
 */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT') throw error;
    const above = dirname(path);
    if (await exists(above)) {
      await access(above, constants.W_OK | constants.X_OK);
      throw new Error(`no directory can be made in ${above}`);
    }
    await makeDirectory(above);
    await makeDirectory(path);
  }
}

/** An absent directory is empty. */
export async function isEmptyDirectory(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).length === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw new StartError(`the directory ${path} cannot be read: ${describe(error)}`, { cause: error });
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw new StartError(`${path} cannot be read: ${describe(error)}`, { cause: error });
  }
}

/** undefined if there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new StartError(`${path} cannot be read: ${describe(error)}`, { cause: error });
  }
}

const knownFaults: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'it is a file',
  EISDIR: 'it is a directory',
  ENOSPC: 'the disk is full',
  ENOENT: 'there is no such file',
};

export function describe(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return knownFaults[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}
