import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { errorCode, writePrivateFile } from '../lib/private-file.ts';
import { SealError, sealKeyBytes } from './open-sealer.ts';

/** Matches 32 bytes in base64: 43 characters and one padding character. */
const format = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Reads the seal key file, which contains one line of base64. `undefined` if the file does not exist. Throws SealError
 * with a one-line message if the content is invalid, or if others than the owner can read the file.
 */
export async function readSealKeyFile(path: string): Promise<Uint8Array | undefined> {
  let text: string;
  try {
    if (await isReadableByOthers(path)) {
      throw new SealError(`${path} can be read by others; restrict it to its owner (chmod 600 ${path})`);
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof SealError) throw error;
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new SealError(`${path} cannot be read (${errorCode(error) ?? 'unknown error'})`);
  }
  const line = text.trimEnd();
  const bytes = Buffer.from(line, 'base64');
  if (!format.test(line) || bytes.toString('base64') !== line) {
    throw new SealError(`${path} does not contain a seal key (one line of base64, ${sealKeyBytes} bytes)`);
  }
  return bytes;
}

/**
 * A file of another owner may be readable for its group. Kubernetes mounts a Secret this way for a process that is not
 * root: the files belong to root and to the group of the pod (`fsGroup`).
 */
async function isReadableByOthers(path: string): Promise<boolean> {
  const { mode, uid } = await stat(path);
  return (mode & (uid === process.getuid?.() ? 0o077 : 0o037)) !== 0;
}

export async function createSealKeyFile(path: string): Promise<Uint8Array> {
  const key = randomBytes(sealKeyBytes);
  await writePrivateFile(path, `${key.toString('base64')}\n`);
  return key;
}
