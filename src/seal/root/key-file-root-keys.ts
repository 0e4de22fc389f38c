import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { SealError } from '../open-sealer.ts';
import { readSealKeyFile } from '../seal-key-file.ts';
import { kmsKeyPrefix, type RootKeys, type WrappedKey } from './root-keys.ts';

const nonceBytes = 12;
const tagBytes = 16;
const idLength = 12;

/** Returns the ID of a seal key, which reveals nothing about the key. */
export function sealKeyId(key: Uint8Array): string {
  return createHash('sha256').update('flotilla seal key id\0').update(key).digest('hex').slice(0, idLength);
}

/**
 * The seal keys of a file as root keys. The first key of the file encrypts, and all keys decrypt. The file is read
 * again if a key is missing, and before a rotation. A server therefore needs no restart after a key was added.
 */
export function keyFileRootKeys(path: string): RootKeys {
  const read = async (): Promise<readonly Uint8Array[]> => {
    const keys = await readSealKeyFile(path);
    if (keys === undefined)
      throw new SealError(
        `the seal key of this store is missing: copy it to ${path} (mode 0600), or set --seal-key-file; backups do not contain it`,
      );
    return keys;
  };
  return {
    place: path,
    mayChange: false,
    async currentId() {
      const [first] = await read();
      return first === undefined ? '' : sealKeyId(first);
    },
    async wrap(purpose, clear) {
      const [first] = await read();
      if (first === undefined) throw new SealError(`${path} contains no seal key`);
      return wrapWith(first, purpose, clear);
    },
    async unwrap(purpose, wrapped) {
      if (wrapped.root.startsWith(kmsKeyPrefix)) {
        const id = wrapped.root.slice(kmsKeyPrefix.length);
        throw new SealError(`the keys of this store are encrypted with the key ${id} of a KMS; set encryption.kms`);
      }
      const keys = await read();
      const key = keys.find((each) => sealKeyId(each) === wrapped.root);
      if (key !== undefined) return unwrapWith(key, purpose, wrapped);
      const found = keys.map(sealKeyId).join(', ');
      throw new SealError(
        `${path} is not the seal key of this store: the store needs the key ${wrapped.root}, and the file contains ${found}; add the line of that key to the file, or set --seal-key-file`,
      );
    },
    ids: async () => (await read()).map(sealKeyId),
    close() {},
  };
}

/** Encrypts a key with a seal key. */
export function wrapWith(sealKey: Uint8Array, purpose: string, clear: Uint8Array): WrappedKey {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(sealKey), nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(purpose));
  const wrapped = Buffer.concat([nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
  return { root: sealKeyId(sealKey), wrapped: wrapped.toString('base64') };
}

function unwrapWith(sealKey: Uint8Array, purpose: string, { root, wrapped }: WrappedKey): Uint8Array {
  const bytes = Buffer.from(wrapped, 'base64');
  const end = bytes.length - tagBytes;
  try {
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv('aes-256-gcm', wrappingKey(sealKey), nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(end));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]);
  } catch {
    throw new SealError(`a key in the store that the seal key ${root} has encrypted is damaged; restore a backup`);
  }
}

function wrappingKey(sealKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', sealKey, new Uint8Array(), 'flotilla wrapping 1', 32));
}
