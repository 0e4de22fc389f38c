import { importJWK, type JSONWebKeySet } from 'jose';
import { type TokenSigner, tokenAlgorithm } from '../auth/direct-token.ts';
import type { Clock } from '../lib/clock.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { KeyedSerializer } from '../lib/queue/keyed-serializer.ts';
import {
  makeSigningKey,
  publicKeyPart,
  readSigningKeyFile,
  rotateKeySet,
  type SigningKey,
  type SigningKeySet,
  succeedingKeySet,
  unexpiredKeys,
  writeSigningKeyFile,
} from './signing-key-file.ts';
import { StartError } from './start-error.ts';

interface KeyLifetime {
  readonly clock: Clock;
  /** The longest lifetime of a token in seconds. After a rotation, the previous key stays published for this long. */
  readonly longestTTL: number;
}

export interface SigningKeysOptions extends KeyLifetime {
  readonly path: string;
}

/** The place where the key set is stored: a file, or a row of a store that several servers share. */
export interface SigningKeyStorage {
  /** The name of the place in error messages. */
  readonly place: string;
  /** Returns the stored key set; `undefined` if no key set is stored. */
  read(): Promise<StoredKeySet | undefined>;
  /**
   * Replaces the key set that `read` has returned. Returns false if another process has replaced the key set after the
   * read.
   */
  replace(previous: StoredKeySet | undefined, next: SigningKeySet): Promise<boolean>;
  /**
   * Calls the listener with the stored key set, and again after each change. Absent if no other process can store a key
   * set.
   */
  listen?(listener: (set: SigningKeySet) => void): void;
  /** Resolves after the listener has received every key set that was stored before the call. */
  refresh?(): Promise<void>;
}

export interface StoredKeySet {
  readonly set: SigningKeySet;
  /** The revision of the row that contains the set. */
  readonly revision?: number;
}

/** The keys of this installation that sign and verify tokens. */
export interface SigningKeys {
  /** Returns the signer with the current key. */
  current(): TokenSigner;
  /** Returns the response of `/auth/jwks`: the public parts of the current key and of keys with unexpired tokens. */
  publicKeys(): JSONWebKeySet;
  /**
   * Resolves after `publicKeys` includes the result of every rotation that any server had completed before the call.
   */
  refresh(): Promise<void>;
  /**
   * Calls the listener after a change to the public keys. Returns a function that unsubscribes the listener. Listeners
   * must be fast.
   */
  onChange(listener: () => void): () => void;
  /**
   * Replaces the signing key. Resolves after the new key has been stored and is in use. With `revoke`, tokens of all
   * older keys become invalid at once. Throws TooManySigningKeysError.
   */
  rotate(how: { readonly revoke: boolean }): Promise<TokenSigner>;
}

/** Reads the signing key file, or creates it. Throws StartError with a one-line message if that fails. */
export function openSigningKeys({ path, ...lifetime }: SigningKeysOptions): Promise<SigningKeys> {
  return openStoredSigningKeys({ storage: signingKeyFile(path), ...lifetime });
}

/** A storage in a file that no other process writes as long as this process runs. */
function signingKeyFile(path: string): SigningKeyStorage {
  let stored: SigningKeySet | undefined;
  return {
    place: path,
    async read() {
      stored ??= await readSigningKeyFile(path);
      return stored && { set: stored };
    },
    async replace(_previous, next) {
      await writeSigningKeyFile(path, next);
      stored = next;
      return true;
    },
  };
}

export interface StoredSigningKeysOptions extends KeyLifetime {
  readonly storage: SigningKeyStorage;
  readonly log?: Log;
}

/** Reads the key set from a storage, or creates it there. Throws StartError with a one-line message if that fails. */
export async function openStoredSigningKeys(options: StoredSigningKeysOptions): Promise<SigningKeys> {
  const { storage, clock, longestTTL, log = silentLog } = options;
  const lanes = new KeyedSerializer();
  const listeners = new Set<() => void>();
  let set = await update(storage, (found) => usableKeySet(found, storage.place, options));
  let signer = await signerOf(set.current, storage.place);
  let importing: Promise<void> = Promise.resolve();

  /**
   * The public keys change immediately, so that a revocation has no delay, although importing the private key takes a
   * moment.
   */
  const accept = (next: SigningKeySet): Promise<void> => {
    if (next === set) return importing;
    set = next;
    importing = signerOf(next.current, storage.place).then((imported) => {
      if (set === next) signer = imported;
    });
    for (const listener of listeners) listener();
    return importing;
  };
  storage.listen?.((next) => {
    accept(next).catch((error: unknown) => log.error({ error }, 'the new signing key cannot be used'));
  });

  return {
    current: () => signer,
    publicKeys: () => ({ keys: [set.current, ...unexpiredKeys(set.retired, clock.now())].map(publicKeyPart) }),
    refresh: async () => storage.refresh?.(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    rotate: ({ revoke }) =>
      lanes.run('rotate', async () => {
        const key = await makeSigningKey(longestTTL);
        const rotated = (found = set) => rotateKeySet(found, key, { now: clock.now(), longestTTL, revoke });
        await accept(await update(storage, rotated));
        return signer;
      }),
  };
}

/**
 * Replaces the stored set with the result of `change`. If another process has replaced the set in the meantime, repeats
 * this with the new set.
 */
async function update(
  storage: SigningKeyStorage,
  change: (found: SigningKeySet | undefined) => SigningKeySet | Promise<SigningKeySet>,
): Promise<SigningKeySet> {
  for (;;) {
    const found = await storage.read();
    const next = await change(found?.set);
    if (next === found?.set || (await storage.replace(found, next))) return next;
  }
}

/**
 * Returns the key set with which the process starts: the stored set without expired keys, or a new set if none is
 * stored. If the longest token lifetime has increased, stores the new lifetime before a token with this lifetime is
 * issued, because a later rotation needs it.
 */
async function usableKeySet(
  found: SigningKeySet | undefined,
  place: string,
  { clock, longestTTL }: KeyLifetime,
): Promise<SigningKeySet> {
  if (found === undefined) return { current: await makeSigningKey(longestTTL), retired: [], former: [] };
  await signerOf(found.current, place);
  const { current } = found;
  const retired = unexpiredKeys(found.retired, clock.now());
  if (retired.length === found.retired.length && (current.longestTTL ?? 0) >= longestTTL) return found;
  return succeedingKeySet(found, { ...current, longestTTL: Math.max(current.longestTTL ?? 0, longestTTL) }, retired);
}

async function signerOf(key: SigningKey, place: string): Promise<TokenSigner> {
  try {
    const privateKey = await importJWK(key, tokenAlgorithm);
    if (privateKey instanceof Uint8Array || privateKey.type !== 'private') throw new Error('not a private key');
    return { kid: key.kid, privateKey };
  } catch (error) {
    throw new StartError(`${place} does not contain an ES256 key pair`, { cause: error });
  }
}
