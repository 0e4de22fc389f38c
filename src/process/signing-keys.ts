import { importJWK, type JSONWebKeySet } from 'jose';
import { type TokenSigner, tokenAlgorithm } from '../auth/direct-token.ts';
import type { Clock } from '../lib/clock.ts';
import { KeyedSerializer } from '../lib/queue/keyed-serializer.ts';
import {
  makeSigningKey,
  publicKeyPart,
  readSigningKeyFile,
  rotateKeySet,
  type SigningKey,
  type SigningKeySet,
  unexpiredKeys,
  writeSigningKeyFile,
} from './signing-key-file.ts';
import { StartError } from './start-error.ts';

export interface SigningKeysOptions {
  readonly path: string;
  readonly clock: Clock;
  /** The longest lifetime of a token in seconds. After a rotation, the previous key stays published for this long. */
  readonly longestTTL: number;
}

/** The keys of this installation that sign and verify tokens. */
export interface SigningKeys {
  /** Returns the signer with the current key. */
  current(): TokenSigner;
  /** Returns the response of `/auth/jwks`: the public parts of the current key and of keys with unexpired tokens. */
  publicKeys(): JSONWebKeySet;
  /**
   * Calls the listener after a change to the public keys. Returns a function that unsubscribes. Listeners must be fast.
   */
  onChange(listener: () => void): () => void;
  /**
   * Replaces the signing key. Resolves after the new key has been stored and is in use. With `revoke`, tokens of all
   * older keys become invalid at once. Throws TooManySigningKeysError.
   */
  rotate(how: { readonly revoke: boolean }): Promise<TokenSigner>;
}

/** Reads the signing key file, or creates it. Throws StartError with a one-line message if that fails. */
export async function openSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const { path, clock, longestTTL } = options;
  let { set, signer } = await openFile(options);
  const lanes = new KeyedSerializer();
  const listeners = new Set<() => void>();

  const replace = async (next: SigningKeySet): Promise<TokenSigner> => {
    const nextSigner = await signerOf(next.current, path);
    await writeSigningKeyFile(path, next);
    set = next;
    signer = nextSigner;
    for (const listener of listeners) listener();
    return signer;
  };

  return {
    current: () => signer,
    publicKeys: () => ({ keys: [set.current, ...unexpiredKeys(set.retired, clock.now())].map(publicKeyPart) }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    rotate: ({ revoke }) =>
      lanes.run('rotate', async () => {
        const next = await makeSigningKey(longestTTL);
        return await replace(rotateKeySet(set, next, { now: clock.now(), longestTTL, revoke }));
      }),
  };
}

/**
 * Reads the signing key file, or creates it. If the longest token lifetime has increased, stores it before a token is
 * issued with it, because a later rotation needs it.
 */
async function openFile({
  path,
  clock,
  longestTTL,
}: SigningKeysOptions): Promise<{ set: SigningKeySet; signer: TokenSigner }> {
  const found = await readSigningKeyFile(path);
  const current = found?.current ?? (await makeSigningKey(longestTTL));
  const retired = unexpiredKeys(found?.retired ?? [], clock.now());
  const isSame = retired.length === found?.retired.length && (current.longestTTL ?? 0) >= longestTTL;
  const set = { current: { ...current, longestTTL: Math.max(current.longestTTL ?? 0, longestTTL) }, retired };
  const signer = await signerOf(set.current, path);
  if (!isSame) await writeSigningKeyFile(path, set);
  return { set, signer };
}

async function signerOf(key: SigningKey, path: string): Promise<TokenSigner> {
  try {
    const privateKey = await importJWK(key, tokenAlgorithm);
    if (privateKey instanceof Uint8Array || privateKey.type !== 'private') throw new Error('not a private key');
    return { kid: key.kid, privateKey };
  } catch (error) {
    throw new StartError(`${path} does not contain an ES256 key pair`, { cause: error });
  }
}
