import { accessKeyPrefix } from '../naming.ts';

/**
 * How the value of an access key is written: the prefix, 40 characters of base62 (238 bits), 6 characters of checksum.
 * The prefix lets secret scanners know a key, the checksum refuses a mistyped one without a look-up. Where the random
 * bytes and the SHA-256 come from is for the caller to say: servers and browsers have them from different places.
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const accessKeyBodyLength = 40;
export const accessKeyChecksumLength = 6;
const checksumRange = alphabet.length ** accessKeyChecksumLength;
/** 48 bits: as many as a number holds in whole bytes. */
const digestBytes = 6;

/** Characters that nobody can guess, if nobody can guess the bytes. */
export function accessKeyBody(random: (size: number) => Uint8Array): string {
  let body = '';
  while (body.length < accessKeyBodyLength) {
    for (const byte of random(accessKeyBodyLength)) {
      // 248 is the largest multiple of 62 in a byte: what lies above would make some characters likelier.
      if (byte < 248 && body.length < accessKeyBodyLength) body += alphabet[byte % alphabet.length];
    }
  }
  return body;
}

/** What the checksum is taken of. */
export function checksummedText(body: string): string {
  return accessKeyPrefix + body;
}

/** `digest`: SHA-256 of the checksummed text. */
export function accessKeyChecksum(digest: Uint8Array): string {
  let rest = digest.subarray(0, digestBytes).reduce((sum, byte) => sum * 256 + byte, 0) % checksumRange;
  let text = '';
  for (let index = 0; index < accessKeyChecksumLength; index++) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
