import { hash, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import { isJsonObject, type JsonObject, numberAt, textAt } from '@flotilla/json';
import type { AgentKeyPair } from './agent-key.ts';

/**
 * A proof that an agent has its private key: a JWT that the agent signs for one request. The proof replaces an access
 * key in the Authorization header. It is valid only once, for about a minute, and only for the agent API of one cluster
 * of one installation.
 */
export interface AgentProof {
  /** The fingerprint of the key that signed the proof. */
  readonly fingerprint: string;
  /** The ID of the installation for which the proof is valid. */
  readonly installation: string;
  readonly cluster: string;
  /** The time of the signature, in seconds since the epoch. */
  readonly issuedAt: number;
  /** The ID of the proof, which is unique. */
  readonly id: string;
  /** The `joinTokenDigest` of the join token. Present only in the proof of a join request. */
  readonly joinToken?: string;
}

/** The value of `typ`, which distinguishes proofs from all other tokens. */
const proofType = 'agent-proof+jwt';
const algorithm = 'ES256';
/** The signature format that JWTs use. */
const dsaEncoding = 'ieee-p1363';
/** The maximum length of a proof, checked before parsing. Proofs that agents sign are shorter. */
const maxLength = 2048;
/** The maximum difference between the time in a proof and the server's clock, in seconds. */
export const proofToleranceSeconds = 60;

/** Returns the digest of a join token that a proof contains, so that the proof is useless with another token. */
export function joinTokenDigest(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Signs a proof. The function is synchronous, because each request of the agent needs a proof. */
export function signAgentProof(
  { privateKey, publicKey }: AgentKeyPair,
  proof: Pick<AgentProof, 'installation' | 'cluster' | 'joinToken'>,
  now: number,
): string {
  const header = { alg: algorithm, typ: proofType, kid: publicKey.fingerprint };
  const claims = {
    aud: proof.installation,
    sub: proof.cluster,
    iat: Math.floor(now / 1000),
    jti: randomUUID(),
    ...(proof.joinToken === undefined ? {} : { join: proof.joinToken }),
  };
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Parses a proof without checking its signature. `undefined` if the text is not a proof. */
export function readAgentProof(text: string): AgentProof | undefined {
  if (text.length > maxLength) return undefined;
  const [header, claims, , ...more] = text.split('.').map(decode);
  if (header === undefined || claims === undefined || more.length > 0) return undefined;
  if (header.typ !== proofType || header.alg !== algorithm) return undefined;
  const [fingerprint, installation, cluster] = [textAt(header, 'kid'), textAt(claims, 'aud'), textAt(claims, 'sub')];
  const [id, joinToken, issuedAt] = [textAt(claims, 'jti'), textAt(claims, 'join'), numberAt(claims, 'iat')];
  if ([fingerprint, installation, cluster, id].includes('') || issuedAt === undefined) return undefined;
  return { fingerprint, installation, cluster, issuedAt, id, ...(joinToken === '' ? {} : { joinToken }) };
}

/** True if this key signed the proof. */
export function isSignedBy(proof: string, key: KeyObject): boolean {
  const end = proof.lastIndexOf('.');
  const signature = Buffer.from(proof.slice(end + 1), 'base64url');
  return verify('sha256', Buffer.from(proof.slice(0, end)), { key, dsaEncoding }, signature);
}

/** True if the time of a proof is close to the time of the server. */
export function isRecentProof({ issuedAt }: AgentProof, now: number): boolean {
  return Math.abs(now / 1000 - issuedAt) <= proofToleranceSeconds;
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
