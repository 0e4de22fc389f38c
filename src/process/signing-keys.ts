import { importJWK, type JSONWebKeySet } from 'jose';
import { type TokenSigner, tokenAlgorithm } from '../auth/direct-token.ts';
import type { Clock } from '../lib/clock.ts';
import { Lanes } from '../lib/lanes.ts';
import {
  makeSigningKey,
  publicPart,
  readSigningKeyFile,
  rotated,
  type SigningKey,
  type SigningKeySet,
  stillNeeded,
  writeSigningKeyFile,
} from './signing-key-file.ts';
import { StartError } from './start-error.ts';

export interface SigningKeysOptions {
  readonly path: string;
  readonly clock: Clock;
  /** The longest life that a token of this server may have, in seconds: so long an old key is published. */
  readonly longestTTL: number;
}

/** The installation's signer of tokens, for as long as the server runs. */
export interface SigningKeys {
  /** What signs now. */
  current(): TokenSigner;
  /** What `/auth/jwks` answers: the public halves of the key that signs and of those whose tokens have not ended. */
  publicKeys(): JSONWebKeySet;
  /** Calls back when the public halves are others. Returns how to stop. Listeners are quick. */
  onChange(listener: () => void): () => void;
  /**
   * Resolves when the new key is durable and signs. `revoke`: the tokens of all older keys end at once. Throws
   * TooManySigningKeysError.
   */
  rotate(how: { readonly revoke: boolean }): Promise<TokenSigner>;
}

/** Opens the key file, or makes it. Throws StartError with one clear line. */
export async function openSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const { path, clock, longestTTL } = options;
  let { set, signer } = await openFile(options);
  const lanes = new Lanes();
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
    publicKeys: () => ({ keys: [set.current, ...stillNeeded(set.retired, clock.now())].map(publicPart) }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    rotate: ({ revoke }) =>
      lanes.run('rotate', async () => {
        const next = await makeSigningKey(longestTTL);
        return await replace(rotated(set, next, { now: clock.now(), longestTTL, revoke }));
      }),
  };
}

/** A server that may give tokens a longer life than before says so in the file first: a rotation has to know. */
async function openFile({
  path,
  clock,
  longestTTL,
}: SigningKeysOptions): Promise<{ set: SigningKeySet; signer: TokenSigner }> {
  const found = await readSigningKeyFile(path);
  const current = found?.current ?? (await makeSigningKey(longestTTL));
  const retired = stillNeeded(found?.retired ?? [], clock.now());
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
    throw new StartError(`${path} does not hold an ES256 key pair`, { cause: error });
  }
}
