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
/** Random text of 32 characters has more distinct characters than this, even in hexadecimal. */
const minDistinctCharacters = 8;

export function generateAccessKey(random: (size: number) => Uint8Array = randomBytes): string {
  const body = generateAccessKeyBody(random);
  return accessKeyChecksumInput(body) + checksumOf(body);
}

function checksumOf(body: string): string {
  return accessKeyChecksum(createHash('sha256').update(accessKeyChecksumInput(body)).digest());
}

/** True if a bearer token has the format of a stored key. */
export function isWellFormedAccessKey(key: string): boolean {
  if (!allowedFormat.test(key)) return false;
  if (!key.startsWith(accessKeyPrefix)) return true;
  return (
    generatedFormat.test(key) &&
    checksumOf(key.slice(accessKeyPrefix.length, -accessKeyChecksumLength)) === key.slice(-accessKeyChecksumLength)
  );
}

/** True if a key that a client supplied is strong enough to be accepted. */
export function isStrongAccessKey(key: string): boolean {
  return isWellFormedAccessKey(key) && new Set(key).size >= minDistinctCharacters;
}
