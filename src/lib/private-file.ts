import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** File mode: only the owner may read and write. */
export const privateFileMode = 0o600;

/**
 * Atomically writes a file that only its owner may read: writes a temporary file, syncs it to disk and renames it.
 * After a crash, either the old or the new file exists.
 */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(temporary, 'wx', privateFileMode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
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
