import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { tokenAlgorithm } from '../auth/direct-token.ts';
import { isJsonObject } from '../lib/json-value.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { readIfThere } from './private-dir.ts';
import { StartError } from './start-error.ts';

/** The key that signs, its private half included. Times are in seconds, those of the clock since the epoch. */
export interface SigningKey extends JWK {
  readonly kid: string;
  /** The longest life that any token of this key was ever given. */
  readonly longestTTL?: number;
}

/** A key that signs no more. Of it the public half alone is left. */
export interface RetiredKey extends JWK {
  readonly kid: string;
  /** When the last of its tokens has ended. */
  readonly until: number;
}

/** What the file holds: a JWK set, the key that signs first. */
export interface SigningKeySet {
  readonly current: SigningKey;
  readonly retired: readonly RetiredKey[];
}

export async function makeSigningKey(longestTTL: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(tokenAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: tokenAlgorithm, use: 'sig', longestTTL };
}

/** undefined if there is no such file. */
export async function readSigningKeyFile(path: string): Promise<SigningKeySet | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const [current, ...older] = keysIn(text, path);
  if (current?.kid === undefined) throw new StartError(`${path} holds no signing key`);
  return { current: { ...current, kid: current.kid }, retired: older.filter(isRetired).map(retiredPart) };
}

/** Whole or not at all: a crash leaves the old set or the new one. */
export async function writeSigningKeyFile(path: string, { current, retired }: SigningKeySet): Promise<void> {
  await writePrivateFile(path, `${JSON.stringify({ keys: [current, ...retired] })}\n`);
}

/** Keys whose tokens have not ended, beyond which there is no further rotation: a set of keys must stay small. */
export const mostRetiredKeys = 50;

/** Only time, or a revocation, makes room. */
export class TooManySigningKeysError extends StartError {
  constructor() {
    super(`there are ${mostRetiredKeys} older signing keys whose tokens have not ended; wait, or revoke them`);
  }
}

/**
 * A new key signs from now on. The old one is published until its last token has ended, or, where it is revoked, no
 * more at all: then every token of every older key ends here and now.
 */
export function rotated(
  { current, retired }: SigningKeySet,
  next: SigningKey,
  how: { readonly now: number; readonly longestTTL: number; readonly revoke: boolean },
): SigningKeySet {
  if (how.revoke) return { current: next, retired: [] };
  const older = stillNeeded(retired, how.now);
  if (older.length >= mostRetiredKeys) throw new TooManySigningKeysError();
  const until = Math.ceil(how.now / 1000) + Math.max(current.longestTTL ?? 0, how.longestTTL);
  return { current: next, retired: [{ ...publicPart(current), until }, ...older] };
}

export function stillNeeded(retired: readonly RetiredKey[], now: number): readonly RetiredKey[] {
  return retired.filter(({ until }) => until * 1000 > now);
}

const publicMembers = ['kty', 'crv', 'x', 'y', 'alg', 'use'] as const;

/** What `/auth/jwks` shows of a key. */
export function publicPart(key: JWK & { readonly kid: string }): JWK & { readonly kid: string } {
  const members = publicMembers.map((name) => [name, key[name]]).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(members), kid: key.kid };
}

function retiredPart(key: RetiredKey): RetiredKey {
  return { ...publicPart(key), until: key.until };
}

function isRetired(key: JWK): key is RetiredKey {
  return key.kid !== undefined && typeof (key as Partial<RetiredKey>).until === 'number';
}

function keysIn(text: string, path: string): (JWK & { readonly longestTTL?: number })[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StartError(`${path} is damaged: it is not JSON`);
  }
  if (!isJsonObject(value) || !Array.isArray(value.keys) || !value.keys.every(isJsonObject)) {
    throw new StartError(`${path} is damaged: it is not a JWK set`);
  }
  return value.keys as JWK[];
}
