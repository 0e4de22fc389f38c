import { createHash, randomBytes } from 'node:crypto';
import { accessKeyPrefix } from '../api/naming.ts';

/**
 * The form of access keys: `flk_`, 40 characters of base62 (238 bits), 6 characters of checksum. The prefix lets
 * secret scanners know a key, the checksum refuses a mistyped one without a look-up.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bodyLength = 40;
const checksumLength = 6;
const checksumRange = alphabet.length ** checksumLength;

const generated = new RegExp(`^${accessKeyPrefix}[0-9A-Za-z]{${bodyLength + checksumLength}}$`);
const acceptable = /^[A-Za-z0-9._~+/=-]{32,512}$/;
/** Random text of 32 characters has more different ones than this, even in hexadecimal. */
const fewestDifferent = 8;

export function generateAccessKey(random: (size: number) => Uint8Array = randomBytes): string {
  let body = '';
  while (body.length < bodyLength) {
    for (const byte of random(bodyLength)) {
      // 248 is the largest multiple of 62 in a byte: what lies above would make some characters likelier.
      if (byte < 248 && body.length < bodyLength) body += alphabet[byte % alphabet.length];
    }
  }
  return accessKeyPrefix + body + checksumOf(body);
}

function checksumOf(body: string): string {
  let rest = createHash('sha256').update(accessKeyPrefix).update(body).digest().readUIntBE(0, 6) % checksumRange;
  let text = '';
  for (let index = 0; index < checksumLength; index++) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}

/** Whether a bearer token has a form that a stored key can have. */
export function isWellFormedAccessKey(key: string): boolean {
  if (!acceptable.test(key)) return false;
  if (!key.startsWith(accessKeyPrefix)) return true;
  return (
    generated.test(key) && checksumOf(key.slice(accessKeyPrefix.length, -checksumLength)) === key.slice(-checksumLength)
  );
}

/** Whether a key that a client brought is good enough to be taken. */
export function isStrongAccessKey(key: string): boolean {
  return isWellFormedAccessKey(key) && new Set(key).size >= fewestDifferent;
}
