import { createHash, randomBytes } from 'node:crypto';
import {
  accessKeyBodyLength,
  accessKeyChecksum,
  accessKeyChecksumInput,
  accessKeyChecksumLength,
  generateAccessKeyBody,
} from '../api/management/access-key-value.ts';
import { accessKeyPrefix } from '../api/naming.ts';

const generatedFormat = new RegExp(`^${accessKeyPrefix}[0-9A-Za-z]{${accessKeyBodyLength + accessKeyChecksumLength}}$`);
const allowedFormat = /^[A-Za-z0-9._~+/=-]{32,512}$/;
/**
 * The minimum number of distinct characters in a key. 32 random characters have more distinct characters, even if they
 * are hexadecimal.
 */
const minDistinctCharacters = 8;

export function generateAccessKey(random: (size: number) => Uint8Array = randomBytes): string {
  const body = generateAccessKeyBody(random);
  return accessKeyChecksumInput(body) + checksumOf(body);
}

function checksumOf(body: string): string {
  return accessKeyChecksum(createHash('sha256').update(accessKeyChecksumInput(body)).digest());
}

/** True if a bearer token has the format of an access key. A generated key must have a correct checksum. */
export function isWellFormedAccessKey(key: string): boolean {
  if (!allowedFormat.test(key)) return false;
  if (!key.startsWith(accessKeyPrefix)) return true;
  return (
    generatedFormat.test(key) &&
    checksumOf(key.slice(accessKeyPrefix.length, -accessKeyChecksumLength)) === key.slice(-accessKeyChecksumLength)
  );
}

/** True if an access key that a client chose is strong enough. */
export function isStrongAccessKey(key: string): boolean {
  return isWellFormedAccessKey(key) && new Set(key).size >= minDistinctCharacters;
}
