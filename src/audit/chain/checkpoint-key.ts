import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { AuditCheckpoint, ChainHead, CheckpointSignature } from '../../api/audit/audit-chain.ts';

/** The key that signs the audit logs of an installation. */
export interface CheckpointKey {
  /** The public key in PEM format. */
  readonly publicKey: string;
  sign(head: ChainHead, now: number): CheckpointSignature;
}

/** Returns a new private key in PEM format. */
export function makeCheckpointKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Opens a private key in PEM format. Throws if it is not an Ed25519 key. */
export function openCheckpointKey(pem: string): CheckpointKey {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
  const publicKey = createPublicKey(privateKey);
  const key = keyId(publicKey);
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign(head, now) {
      const time = new Date(now).toISOString();
      return { time, key, signature: sign(null, signedText(head, time), privateKey).toString('base64url') };
    },
  };
}

/** Verifies signatures with one public key. */
export interface CheckpointVerifier {
  /** Returns the reason why the signature is not valid; `undefined` if it is valid. */
  check(checkpoint: AuditCheckpoint): string | undefined;
}

/** Opens a public key in PEM format. Throws if it is not an Ed25519 key. */
export function openCheckpointVerifier(pem: string): CheckpointVerifier {
  const publicKey = createPublicKey(pem);
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
  const id = keyId(publicKey);
  return {
    check(checkpoint) {
      const { key, time, signature } = checkpoint;
      if (typeof time !== 'string' || typeof signature !== 'string') return 'the signature is damaged';
      if (key !== id) return `the signature is from another key (${String(key).slice(0, 64)})`;
      const isValid = verify(null, signedText(checkpoint, time), publicKey, Buffer.from(signature, 'base64url'));
      return isValid ? undefined : 'the signature is not valid';
    },
  };
}

/**
 * Returns the signed bytes. Their first line ensures that a signature made by this key for another purpose never has
 * the same bytes.
 */
function signedText({ seq, hash: headHash }: ChainHead, time: string): Buffer {
  return Buffer.from(`flotilla audit checkpoint 1\n${seq}\n${headHash}\n${time}\n`);
}

function keyId(publicKey: KeyObject): string {
  return hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64url').slice(0, 16);
}
