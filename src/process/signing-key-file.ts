import { isJsonObject } from '@flotilla/json';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { tokenAlgorithm } from '../auth/direct-token.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { readIfExists } from './private-dir.ts';
import { StartError } from './start-error.ts';

/** The private key that signs tokens. Durations are in seconds, and times in seconds since the epoch. */
export interface SigningKey extends JWK {
  readonly kid: string;
  /** The longest lifetime, in seconds, of the tokens that this key may have signed. */
  readonly longestTTL?: number;
}

/** A key that no longer signs tokens. Only its public part is stored, for the verification of older tokens. */
export interface RetiredKey extends JWK {
  readonly kid: string;
  /** The time at which the last token that this key signed expires, in seconds since the epoch. */
  readonly until: number;
}

/** The content of the signing key file, which is a JWK set. The current key is the first one in the file. */
export interface SigningKeySet {
  readonly current: SigningKey;
  readonly retired: readonly RetiredKey[];
  /** The IDs of removed keys, newest first. They are used to recognize an outdated copy of the key file. */
  readonly former: readonly string[];
}

/**
 * The maximum number of IDs of removed keys. A copy of a key file that is more than this number of rotations old is not
 * recognized, and is therefore rejected.
 */
const maxFormerKeys = 200;

export async function makeSigningKey(longestTTL: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(tokenAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: tokenAlgorithm, use: 'sig', longestTTL };
}

/** Reads the signing key file. `undefined` if the file does not exist. */
export async function readSigningKeyFile(path: string): Promise<SigningKeySet | undefined> {
  const text = await readIfExists(path);
  return text === undefined ? undefined : parseKeySet(text, path);
}

/** Parses the text of a key set. `place` names its file or row in error messages. Throws StartError. */
export function parseKeySet(text: string, place: string): SigningKeySet {
  const { keys, former } = jwkSetIn(text, place);
  const [current, ...older] = keys;
  if (current?.kid === undefined) throw new StartError(`${place} contains no signing key`);
  return { current: { ...current, kid: current.kid }, retired: older.filter(isRetired).map(retiredPart), former };
}

export function formatKeySet({ current, retired, former }: SigningKeySet): string {
  return JSON.stringify({ keys: [current, ...retired], ...(former.length === 0 ? {} : { former }) });
}

/** Writes the signing key file atomically: after a crash, it contains either the old or the new key set. */
export async function writeSigningKeyFile(path: string, set: SigningKeySet): Promise<void> {
  await writePrivateFile(path, `${formatKeySet(set)}\n`);
}

/** True if the key with this ID is or was a key of this set. */
export function isKeyOfSet({ current, retired, former }: SigningKeySet, kid: string): boolean {
  return current.kid === kid || retired.some((key) => key.kid === kid) || former.includes(kid);
}

/**
 * The maximum number of retired keys. A rotation that would exceed this number fails, because `/auth/jwks` must stay
 * small.
 */
export const maxRetiredKeys = 50;

/**
 * Thrown by a rotation if there are too many retired keys. Rotation is possible again after the tokens of a retired key
 * have expired or were revoked.
 */
export class TooManySigningKeysError extends StartError {
  constructor() {
    super(
      `there are ${maxRetiredKeys} older signing keys with unexpired tokens; wait until they expire, or revoke them`,
    );
  }
}

/**
 * Returns a key set in which `next` is the current key. The previous key is retired: it verifies tokens until the last
 * token that it signed has expired. With `revoke`, all older keys are removed instead, so their tokens become invalid
 * at once.
 */
export function rotateKeySet(
  set: SigningKeySet,
  next: SigningKey,
  options: { readonly now: number; readonly longestTTL: number; readonly revoke: boolean },
): SigningKeySet {
  if (options.revoke) return succeedingKeySet(set, next, []);
  const { current } = set;
  const remaining = unexpiredKeys(set.retired, options.now);
  if (remaining.length >= maxRetiredKeys) throw new TooManySigningKeysError();
  const until = Math.ceil(options.now / 1000) + Math.max(current.longestTTL ?? 0, options.longestTTL);
  return succeedingKeySet(set, next, [{ ...publicKeyPart(current), until }, ...remaining]);
}

/**
 * Returns a key set with these keys that replaces `before`. Keys of `before` that are not in the new set become former
 * keys.
 */
export function succeedingKeySet(
  before: SigningKeySet,
  current: SigningKey,
  retired: readonly RetiredKey[],
): SigningKeySet {
  const kept = new Set([current, ...retired].map(({ kid }) => kid));
  const removed = [before.current, ...before.retired].map(({ kid }) => kid).filter((kid) => !kept.has(kid));
  return { current, retired, former: [...removed, ...before.former].slice(0, maxFormerKeys) };
}

export function unexpiredKeys(retired: readonly RetiredKey[], now: number): readonly RetiredKey[] {
  return retired.filter(({ until }) => until * 1000 > now);
}

const publicMembers = ['kty', 'crv', 'x', 'y', 'alg', 'use'] as const;

/** Returns the public part of a key, as published at `/auth/jwks`. */
export function publicKeyPart(key: JWK & { readonly kid: string }): JWK & { readonly kid: string } {
  const members = publicMembers.map((name) => [name, key[name]]).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(members), kid: key.kid };
}

function retiredPart(key: RetiredKey): RetiredKey {
  return { ...publicKeyPart(key), until: key.until };
}

function isRetired(key: JWK): key is RetiredKey {
  return key.kid !== undefined && typeof (key as Partial<RetiredKey>).until === 'number';
}

interface ParsedJwkSet {
  readonly keys: readonly (JWK & { readonly longestTTL?: number })[];
  readonly former: readonly string[];
}

function jwkSetIn(text: string, place: string): ParsedJwkSet {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StartError(`${place} is damaged: it is not JSON`);
  }
  if (!isJsonObject(value) || !Array.isArray(value.keys) || !value.keys.every(isJsonObject)) {
    throw new StartError(`${place} is damaged: it is not a JWK set`);
  }
  const former = Array.isArray(value.former) ? value.former.filter((kid) => typeof kid === 'string') : [];
  return { keys: value.keys as JWK[], former };
}
