import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { isJsonObject } from '../lib/json-value.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { readIfThere } from './data-dir.ts';
import { StartError } from './start-error.ts';

/** The installation's signer of tokens. The file holds a JWK set, the newest key first, so that keys can overlap. */
export interface SigningKeys {
  readonly current: { readonly kid: string; readonly privateKey: CryptoKey };
  /** What `/auth/jwks` answers: public members only. */
  readonly publicKeys: { readonly keys: readonly JWK[] };
}

const algorithm = 'ES256';

export async function ensureSigningKeys(path: string): Promise<SigningKeys> {
  const text = await readIfThere(path);
  const keys = text === undefined ? [await makeKey()] : keysIn(text, path);
  if (text === undefined) await writePrivateFile(path, `${JSON.stringify({ keys })}\n`);
  const [newest] = keys;
  if (newest?.kid === undefined) throw new StartError(`${path} holds no signing key`);
  try {
    const privateKey = await importJWK(newest, algorithm);
    if (privateKey instanceof Uint8Array || privateKey.type !== 'private') throw new Error('not a private key');
    return { current: { kid: newest.kid, privateKey }, publicKeys: { keys: keys.map(publicPart) } };
  } catch (error) {
    throw new StartError(`${path} does not hold an ES256 key pair`, { cause: error });
  }
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: algorithm, use: 'sig' };
}

function keysIn(text: string, path: string): JWK[] {
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

const publicMembers = ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'] as const;

function publicPart(key: JWK): JWK {
  return Object.fromEntries(publicMembers.map((name) => [name, key[name]]).filter(([, value]) => value !== undefined));
}
