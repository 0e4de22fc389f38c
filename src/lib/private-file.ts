import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** File mode: only the owner may read and write. */
export const privateFileMode = 0o600;

/** A private file that is already on disk under a temporary name. */
export interface PreparedFile {
  /** The temporary path, in the same directory. */
  readonly temporary: string;
  /** Atomically gives the file its final name. The temporary file stays if this fails. */
  commit(): Promise<void>;
  /** Removes the temporary file. */
  discard(): Promise<void>;
}

/**
 * Writes a file that only its owner may read, under a temporary name, and syncs it to disk. Callers can therefore
 * detect write errors before the file is needed under its final name.
 */
export async function preparePrivateFile(path: string, content: string | Uint8Array): Promise<PreparedFile> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  const discard = () => rm(temporary, { force: true });
  try {
    const handle = await open(temporary, 'wx', privateFileMode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    temporary,
    async commit() {
      await rename(temporary, path);
      await syncDirectory(dirname(path));
    },
    discard,
  };
}

/**
 * Atomically writes a file that only its owner may read: writes a temporary file, syncs it to disk and renames it.
 * After a crash, either the old or the new file exists.
 */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const prepared = await preparePrivateFile(path, content);
  try {
    await prepared.commit();
  } catch (error) {
    await prepared.discard();
    throw error;
  }
}

/**
 * Syncs a directory to disk. Must be called after a rename in the directory, because only the sync makes the rename
 * durable.
 */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the permission bits for the group and for other users; 0 if only the owner has access. */
export async function nonOwnerPermissions(path: string): Promise<number> {
  return (await stat(path)).mode & 0o077;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
