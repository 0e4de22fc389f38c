import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** File mode: only the owner may read and write. */
export const privateMode = 0o600;

/**
 * Writes a file that only its owner may read, atomically: writes a temporary file, syncs it and renames it. A crash
 * leaves either the old file or the new one.
 */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(temporary, 'wx', privateMode);
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

/** Syncs a directory; a rename is durable only after that. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The permission bits of group and others; 0 if the file is private. */
export async function nonOwnerPermissions(path: string): Promise<number> {
  return (await stat(path)).mode & 0o077;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
