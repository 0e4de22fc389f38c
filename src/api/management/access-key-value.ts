import { accessKeyPrefix } from '../naming.ts';

/**
 * The format of access key values: the prefix, 40 characters of base62 (238 bits) and 6 characters of checksum. Secret
 * scanners recognize the prefix, and the checksum rejects a mistyped key without a lookup. Callers supply random bytes
 * and SHA-256, because servers and browsers obtain them differently.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const accessKeyBodyLength = 40;
export const accessKeyChecksumLength = 6;
const checksumRange = alphabet.length ** accessKeyChecksumLength;
/** 48 bits: the largest whole number of bytes that a number represents exactly. */
const digestBytes = 6;

/** The random part of a key. It is as unpredictable as the given bytes. */
export function generateAccessKeyBody(random: (size: number) => Uint8Array): string {
  let body = '';
  while (body.length < accessKeyBodyLength) {
    for (const byte of random(accessKeyBodyLength)) {
      // 248 is the largest multiple of 62 in a byte: values above it would make some characters more likely.
      if (byte < 248 && body.length < accessKeyBodyLength) body += alphabet[byte % alphabet.length];
    }
  }
  return body;
}

/** The input of the checksum. */
export function accessKeyChecksumInput(body: string): string {
  return accessKeyPrefix + body;
}

/** `digest`: SHA-256 of the checksum input. */
export function accessKeyChecksum(digest: Uint8Array): string {
  let rest = digest.subarray(0, digestBytes).reduce((sum, byte) => sum * 256 + byte, 0) % checksumRange;
  let text = '';
  for (let index = 0; index < accessKeyChecksumLength; index++) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
