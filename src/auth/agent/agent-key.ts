import { createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';

/** An agent's public key. The fingerprint identifies the key. */
export interface AgentPublicKey {
  readonly key: KeyObject;
  /** The key in PEM format. Equal keys have equal texts. */
  readonly pem: string;
  /** `SHA256:` and the hash of the DER-encoded key in base64, as `ssh-keygen` shows fingerprints. */
  readonly fingerprint: string;
}

/** The key pair of an agent. The private key never leaves the agent. */
export interface AgentKeyPair {
  readonly publicKey: AgentPublicKey;
  readonly privateKey: KeyObject;
}

/** The maximum length of a PEM key, checked before parsing. A P-256 key has fewer than 200 characters. */
const maxPemLength = 1024;
const curve = 'prime256v1';

export function generateAgentKeyPair(): AgentKeyPair {
  return agentKeyPairOf(generateKeyPairSync('ec', { namedCurve: curve }).privateKey);
}

/** Returns the key pair that belongs to a private key. */
export function agentKeyPairOf(privateKey: KeyObject): AgentKeyPair {
  return { publicKey: publicKeyOf(createPublicKey(privateKey)), privateKey };
}

/** Parses a public key in the PEM format. `undefined` if it is not a public key for ES256. */
export function readAgentPublicKey(pem: string): AgentPublicKey | undefined {
  // Check the header, because `createPublicKey` would also accept a private key.
  if (pem.length > maxPemLength || !pem.startsWith('-----BEGIN PUBLIC KEY-----')) return undefined;
  try {
    const key = createPublicKey(pem);
    const isUsable = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === curve;
    return isUsable ? publicKeyOf(key) : undefined;
  } catch {
    return undefined;
  }
}

function publicKeyOf(key: KeyObject): AgentPublicKey {
  const digest = hash('sha256', key.export({ type: 'spki', format: 'der' }), 'base64');
  return {
    key,
    pem: key.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: `SHA256:${digest.replace(/=+$/, '')}`,
  };
}
