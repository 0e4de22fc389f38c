import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What only its owner may read and write. */
export const privateMode = 0o600;

/**
 * Writes a file that only its owner may read, whole or not at all: under another name first, made durable, then
 * renamed into place. A crash leaves the old file or the new one, never half of it.
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

/** A rename is durable only once the directory is. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The permission bits that others than the owner have; 0 is private. */
export async function openToOthers(path: string): Promise<number> {
  return (await stat(path)).mode & 0o077;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
