import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isJsonObject, numberAt, textAt } from '@flotilla/json';
import { writePrivateFile } from '../../lib/private-file.ts';
import { describeError, readIfExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import type { DataDir } from '../data/data-dir.ts';

/**
 * The files of a data directory that a backup can contain, and the consequence if a restored installation lacks one.
 */
const keyFiles = [
  ['sealKey', 'seal.key: the server cannot start, because it cannot read secrets or check access keys'],
  ['caCertificate', 'ca.crt and ca.key: the server creates a new CA, and every kubeconfig and agent needs it'],
  ['caKey', undefined],
  ['signingKey', 'signing.key: the server creates a new one (the first start ends all tokens anyway)'],
] as const satisfies readonly (readonly [keyof DataDir, string | undefined])[];

type KeyFile = (typeof keyFiles)[number][0];
export type KeyFiles = Partial<Readonly<Record<KeyFile, string>>>;

/** Returns one line per file that a restored data directory lacks, with the consequence. */
export function missingKeyFiles(files: KeyFiles): string[] {
  return keyFiles.flatMap(([file, consequence]) =>
    files[file] === undefined && consequence !== undefined ? [`missing: ${consequence}`] : [],
  );
}

export async function readKeyFiles(dir: DataDir): Promise<KeyFiles> {
  const found: Partial<Record<KeyFile, string>> = {};
  for (const [file] of keyFiles) {
    const text = await readIfExists(dir[file]);
    if (text !== undefined) found[file] = text;
  }
  return found;
}

export async function writeKeyFiles(dir: DataDir, files: KeyFiles): Promise<void> {
  for (const [file] of keyFiles) {
    const text = files[file];
    if (text !== undefined) await writePrivateFile(dir[file], text);
  }
}

const minPassphraseLength = 12;

/** Reads a passphrase from a file. A newline at the end of the file is not part of the passphrase. */
export async function readPassphrase(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new StartError(`cannot read the passphrase ${path}: ${describeError(error)}`, { cause: error });
  });
  const passphrase = text.replace(/\r?\n$/, '');
  if (passphrase.length >= minPassphraseLength) return passphrase;
  throw new StartError(`the passphrase in ${path} is too short; it needs at least ${minPassphraseLength} characters`);
}

/** The cost of one scrypt attempt: 64 MiB of memory and about a fifth of a second. */
const cost = { N: 2 ** 16, r: 8, p: 1 };
/** The highest accepted N, which limits the memory that a manipulated backup can request to 1 GiB. */
const maxN = 2 ** 20;
const algorithm = 'aes-256-gcm';
/**
 * The additional authenticated data of the encryption. It prevents another text that was encrypted with the same
 * passphrase from being accepted as keys.
 */
const purpose = Buffer.from('flotilla backup keys');

/** Encrypts key files with a passphrase (scrypt, AES-256-GCM). */
export async function sealKeyFiles(files: KeyFiles, passphrase: string): Promise<string> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv(algorithm, await deriveKey(passphrase, salt, cost), nonce).setAAD(purpose);
  const data = Buffer.concat([cipher.update(JSON.stringify(files), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const [encodedSalt, encodedNonce] = [salt.toString('base64'), nonce.toString('base64')];
  return JSON.stringify({ n: cost.N, salt: encodedSalt, nonce: encodedNonce, data: data.toString('base64') });
}

/** Decrypts key files. Throws StartError if the passphrase is wrong. */
export async function openKeyFiles(sealed: string, passphrase: string): Promise<KeyFiles> {
  const value: unknown = JSON.parse(sealed);
  const n = isJsonObject(value) ? (numberAt(value, 'n') ?? 0) : 0;
  if (!isJsonObject(value) || n < 2 || n > maxN || !Number.isInteger(Math.log2(n))) throw damagedKeys();
  const [salt, nonce, data] = ['salt', 'nonce', 'data'].map((member) => Buffer.from(textAt(value, member), 'base64'));
  if (salt === undefined || nonce?.length !== 12 || data === undefined || data.length < 16) throw damagedKeys();
  const key = await deriveKey(passphrase, salt, { ...cost, N: n });
  try {
    const decipher = createDecipheriv(algorithm, key, nonce).setAAD(purpose).setAuthTag(data.subarray(-16));
    const text = Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()]).toString('utf8');
    return JSON.parse(text) as KeyFiles;
  } catch (error) {
    throw new StartError('wrong passphrase: the keys in the backup were encrypted with another passphrase', {
      cause: error,
    });
  }
}

function damagedKeys(): StartError {
  return new StartError('the keys in the backup are damaged');
}

function deriveKey(passphrase: string, salt: Uint8Array, options: ScryptOptions & { readonly N: number }) {
  return new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase, salt, 32, { ...options, maxmem: 1100 * options.N }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
