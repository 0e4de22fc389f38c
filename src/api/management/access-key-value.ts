import { accessKeyPrefix } from '../naming.ts';

/**
 * The format of access keys: a prefix that secret scanners recognize, 40 random base62 characters (238 bits), and a
 * checksum of 6 characters that detects typing errors without a lookup. Callers supply random bytes and SHA-256
 * digests, because servers and browsers have different functions for these.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const accessKeyBodyLength = 40;
export const accessKeyChecksumLength = 6;
const checksumRange = alphabet.length ** accessKeyChecksumLength;
/**
 * The number of digest bytes from which the checksum is computed. A JavaScript number represents all integers of 6
 * bytes (48 bits) exactly, but not all integers of 7 bytes.
 */
const digestBytes = 6;

/** Generates the random part of an access key from random bytes. */
export function generateAccessKeyBody(random: (size: number) => Uint8Array): string {
  let body = '';
  while (body.length < accessKeyBodyLength) {
    for (const byte of random(accessKeyBodyLength)) {
      // Skip bytes from 248 on. 248 is the largest multiple of 62 below 256, so with higher bytes some characters would
      // be more likely than others.
      if (byte < 248 && body.length < accessKeyBodyLength) body += alphabet[byte % alphabet.length];
    }
  }
  return body;
}

/** Returns the text from which the checksum of an access key is computed. */
export function accessKeyChecksumInput(body: string): string {
  return accessKeyPrefix + body;
}

/** Returns the checksum of an access key. `digest` is the SHA-256 digest of `accessKeyChecksumInput`. */
export function accessKeyChecksum(digest: Uint8Array): string {
  let rest = digest.subarray(0, digestBytes).reduce((sum, byte) => sum * 256 + byte, 0) % checksumRange;
  let text = '';
  for (let index = 0; index < accessKeyChecksumLength; index++) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
