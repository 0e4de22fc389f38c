import { createHash, randomBytes } from 'node:crypto';
import {
  accessKeyBody,
  accessKeyBodyLength,
  accessKeyChecksum,
  accessKeyChecksumLength,
  checksummedText,
} from '../api/management/access-key-value.ts';
import { accessKeyPrefix } from '../api/naming.ts';

const generated = new RegExp(`^${accessKeyPrefix}[0-9A-Za-z]{${accessKeyBodyLength + accessKeyChecksumLength}}$`);
const acceptable = /^[A-Za-z0-9._~+/=-]{32,512}$/;
/** Random text of 32 characters has more different ones than this, even in hexadecimal. */
const fewestDifferent = 8;

export function generateAccessKey(random: (size: number) => Uint8Array = randomBytes): string {
  const body = accessKeyBody(random);
  return checksummedText(body) + checksumOf(body);
}

function checksumOf(body: string): string {
  return accessKeyChecksum(createHash('sha256').update(checksummedText(body)).digest());
}

/** Whether a bearer token has a form that a stored key can have. */
export function isWellFormedAccessKey(key: string): boolean {
  if (!acceptable.test(key)) return false;
  if (!key.startsWith(accessKeyPrefix)) return true;
  return (
    generated.test(key) &&
    checksumOf(key.slice(accessKeyPrefix.length, -accessKeyChecksumLength)) === key.slice(-accessKeyChecksumLength)
  );
}

/** Whether a key that a client brought is good enough to be taken. */
export function isStrongAccessKey(key: string): boolean {
  return isWellFormedAccessKey(key) && new Set(key).size >= fewestDifferent;
}
