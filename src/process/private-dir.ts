import { access, constants, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../lib/private-file.ts';
import { StartError } from './start-error.ts';

/** Creates the data directory with mode 0700 if it does not exist. Throws if this process cannot read or write it. */
export async function ensureDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`the data directory ${path} cannot be used: ${describeError(error)}`, { cause: error });
  }
}

/**
 * Creates a directory and its missing parents one by one. Node's recursive mkdir never returns if an existing parent
 * reports ENOENT for everything below it, as /proc does.
 */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT') throw error;
    const parent = dirname(path);
    if (await fileExists(parent)) {
      await access(parent, constants.W_OK | constants.X_OK);
      throw new Error(`cannot create a directory in ${parent}`);
    }
    await makeDirectory(parent);
    await makeDirectory(path);
  }
}

/** True if the directory is empty or does not exist. */
export async function isEmptyDirectory(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).length === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw new StartError(`the directory ${path} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

export async function fileExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw new StartError(`${path} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

/** Returns the content of a file; `undefined` if the file does not exist. */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new StartError(`${path} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

const errorTexts: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'it is a file',
  EISDIR: 'it is a directory',
  ENOSPC: 'the disk is full',
  ENOENT: 'there is no such file',
};

export function describeError(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return errorTexts[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}
