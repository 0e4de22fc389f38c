import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Sealer } from './sealer.ts';

export const sealKeyBytes = 32;

/** The prefix of every sealed text. It identifies the format, so that another format can be added later. */
const version = 's1';
/** The standard nonce size of GCM. With random nonces, a key can safely seal 2^32 values (NIST SP 800-38D). */
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Thrown if a text cannot be opened: it was sealed with another key or for another purpose, or it was modified. The
 * message contains nothing of the text.
 */
export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealError';
  }
}

/**
 * Creates a sealer. A sealed text is `s1.` followed by nonce, ciphertext and tag in base64url. Sealing and hashing use
 * separate keys, both derived from the seal key, so that a hash reveals nothing about sealed texts, and vice versa. Former
 * seal keys only open texts.
 */
export function openSealer(key: Uint8Array, formerKeys: readonly Uint8Array[] = []): Sealer {
  const sealer = sealerWithKeys(deriveSealerKeys(key));
  const [next, ...others] = formerKeys;
  if (next === undefined) return sealer;
  const former = openSealer(next, others);
  return {
    ...sealer,
    open(purpose, sealed) {
      try {
        return sealer.open(purpose, sealed);
      } catch {
        return former.open(purpose, sealed);
      }
    },
  };
}

/** The keys that a sealer derives from the seal key. They may be sent to another thread of this process only. */
export interface SealerKeys {
  readonly sealingKey: Uint8Array;
  readonly hashingKey: Uint8Array;
}

export function deriveSealerKeys(key: Uint8Array): SealerKeys {
  if (key.byteLength !== sealKeyBytes) throw new SealError(`a seal key must have ${sealKeyBytes} bytes`);
  return { sealingKey: derive(key, 'flotilla sealing 1'), hashingKey: derive(key, 'flotilla hashing 1') };
}

/** Creates a sealer from derived keys. For threads other than the thread that has read the seal key. */
export function sealerWithKeys({ sealingKey, hashingKey }: SealerKeys): Sealer {
  return {
    seal(purpose, clear) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
      cipher.setAAD(additionalData(purpose));
      const sealed = Buffer.concat([nonce, cipher.update(clear, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${version}.${sealed.toString('base64url')}`;
    },

    open(purpose, sealed) {
      const bytes = decode(sealed);
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(additionalData(purpose));
      decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
      const body = bytes.subarray(nonceBytes, bytes.length - tagBytes);
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        throw new SealError(
          'a sealed value cannot be opened: it was sealed with another key or for another purpose, or it was modified',
        );
      }
    },

    hash(purpose, text) {
      // The length of the purpose comes first, so that two different pairs of purpose and text never give the hash the
      // same input.
      const hmac = createHmac('sha256', hashingKey);
      hmac.update(`${Buffer.byteLength(purpose)}:${purpose}`).update(text);
      return hmac.digest('base64url');
    },
  };
}

/**
 * True if a value contains a sealed text, or a text that looks like a sealed text. The text is the whole value, or a
 * member of a JSON object. A value that only looks like a sealed text is encrypted needlessly, without any other
 * effect.
 */
export function containsSealedText(value: string): boolean {
  return value.startsWith(`${version}.`) || value.includes(`"${version}.`);
}

function derive(key: Uint8Array, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, new Uint8Array(), use, 32));
}

function additionalData(purpose: string): Buffer {
  return Buffer.from(`${version}.${purpose}`, 'utf8');
}

function decode(sealed: string): Buffer {
  const prefix = `${version}.`;
  if (!sealed.startsWith(prefix)) throw new SealError('a sealed value has an unknown format');
  const text = sealed.slice(prefix.length);
  const bytes = Buffer.from(text, 'base64url');
  // Buffer skips characters that are not base64url. The bytes are encoded again and compared with the input, so that
  // only the exact sealed text is accepted.
  if (bytes.toString('base64url') !== text || bytes.length < nonceBytes + tagBytes) {
    throw new SealError('a sealed value is damaged');
  }
  return bytes;
}
