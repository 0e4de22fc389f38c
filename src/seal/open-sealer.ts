import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Sealer } from './sealer.ts';

export const sealKeyBytes = 32;

/** First in every sealed text, so that another construction can stand beside this one later. */
const version = 's1';
/** What GCM is made for; with random nonces one key is good for 2^32 seals (NIST SP 800-38D). */
const nonceBytes = 12;
const tagBytes = 16;

/** A text that this key did not seal for this purpose, or that was touched. Says nothing of what it held. */
export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealError';
  }
}

/**
 * Sealed texts read `s1.<base64url of nonce, ciphertext, tag>`. Sealing and hashing have keys of their own, derived
 * from the one that is kept, so that neither use says anything of the other.
 */
export function openSealer(key: Uint8Array): Sealer {
  if (key.byteLength !== sealKeyBytes) throw new SealError(`a seal key has ${sealKeyBytes} bytes`);
  const sealingKey = derive(key, 'flotilla sealing 1');
  const hashingKey = derive(key, 'flotilla hashing 1');

  return {
    seal(purpose, clear) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
      cipher.setAAD(boundTo(purpose));
      const sealed = Buffer.concat([nonce, cipher.update(clear, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${version}.${sealed.toString('base64url')}`;
    },

    open(purpose, sealed) {
      const bytes = decode(sealed);
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(boundTo(purpose));
      decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
      const body = bytes.subarray(nonceBytes, bytes.length - tagBytes);
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        throw new SealError('a sealed value does not open: another key or purpose, or it was changed');
      }
    },

    hash(purpose, text) {
      // The length keeps (purpose, text) pairs apart whose concatenations are alike.
      const hmac = createHmac('sha256', hashingKey);
      hmac.update(`${Buffer.byteLength(purpose)}:${purpose}`).update(text);
      return hmac.digest('base64url');
    },
  };
}

function derive(key: Uint8Array, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, new Uint8Array(), use, 32));
}

function boundTo(purpose: string): Buffer {
  return Buffer.from(`${version}.${purpose}`, 'utf8');
}

function decode(sealed: string): Buffer {
  const prefix = `${version}.`;
  if (!sealed.startsWith(prefix)) throw new SealError('a sealed value has a form that this program does not know');
  const text = sealed.slice(prefix.length);
  const bytes = Buffer.from(text, 'base64url');
  // Buffer skips what is not base64url; only the exact text that was sealed is taken.
  if (bytes.toString('base64url') !== text || bytes.length < nonceBytes + tagBytes) {
    throw new SealError('a sealed value is damaged');
  }
  return bytes;
}
