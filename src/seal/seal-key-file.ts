import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { errorCode, writePrivateFile } from '../lib/private-file.ts';
import { SealError, sealKeyBytes } from './open-sealer.ts';

/** Matches 32 bytes in base64: 43 characters and one padding character. */
const format = /^[A-Za-z0-9+/]{43}=$/;

/** The maximum number of keys. A rotation needs two. */
const maxKeys = 16;

/**
 * Reads the seal key file, which contains one key per line in base64. The first key encrypts, and all keys decrypt.
 * Returns `undefined` if the file does not exist. Throws SealError with a one-line message if the content is invalid,
 * or if users other than the owner can read the file.
 */
export async function readSealKeyFile(path: string): Promise<readonly Uint8Array[] | undefined> {
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
  return parseSealKeys(text, path);
}

/** Returns the keys in the text of a seal key file. `path` names the file in the message of the SealError. */
export function parseSealKeys(text: string, path: string): readonly Uint8Array[] {
  const lines = text.trimEnd().split('\n');
  if (lines.length > maxKeys)
    throw new SealError(`${path} contains ${lines.length} seal keys; at most ${maxKeys} are allowed`);
  return lines.map((line) => {
    const bytes = Buffer.from(line, 'base64');
    if (format.test(line) && bytes.toString('base64') === line) return bytes;
    throw new SealError(`each line of ${path} must be a seal key: ${sealKeyBytes} bytes in base64`);
  });
}

/**
 * Returns true if users other than the owner can read the file. The group may read a file that another user owns.
 * Kubernetes mounts a Secret this way for a process that is not root: the files belong to root and to the group of the
 * pod (`fsGroup`).
 */
async function isReadableByOthers(path: string): Promise<boolean> {
  const { mode, uid } = await stat(path);
  return (mode & (uid === process.getuid?.() ? 0o077 : 0o037)) !== 0;
}

export async function createSealKeyFile(path: string): Promise<Uint8Array> {
  const key = randomBytes(sealKeyBytes);
  await writeSealKeyFile(path, [key]);
  return key;
}

export async function writeSealKeyFile(path: string, keys: readonly Uint8Array[]): Promise<void> {
  await writePrivateFile(path, keys.map((key) => `${Buffer.from(key).toString('base64')}\n`).join(''));
}
