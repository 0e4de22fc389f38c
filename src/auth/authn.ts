import type { Clock } from '../lib/clock.ts';
import { compileAddressRanges } from './address-ranges.ts';
import type { TokenKey } from './gateway-token.ts';
import type { Identity } from './identity.ts';
import { hasSamePermissions, isUsableKey, type KeyState, keyFingerprint } from './key-state.ts';
import type { PermissionSignals } from './permission-signals.ts';
import { createSessions } from './sessions.ts';
import { createTokenHashCache } from './token-hash-cache.ts';

export interface AuthenticatorOptions {
  /** Looks up an access key in the cache by the hash of its value. Synchronous. */
  keyByHash(hash: string): KeyState | undefined;
  /** Looks up an access key in the cache by its name. Synchronous. */
  keyByName(keyName: string): KeyState | undefined;
  /**
   * Returns the keyed hash of a key's value. The store contains only this hash, which is useless without the seal key.
   */
  hash(token: string): string;
  /**
   * True if a token has the format of an access key, including its checksum. Other tokens are rejected without a
   * lookup.
   */
  isWellFormed(token: string): boolean;
  /**
   * Returns a fingerprint that changes whenever the value of the key changes. Optional; defaults to `keyFingerprint`.
   */
  fingerprintOf?(state: KeyState): string;
  readonly clock: Clock;
  readonly permissionSignals: PermissionSignals;
  /** Called for each request that is authenticated with an access key. Must be fast. */
  onUse(keyName: string): void;
  /**
   * Calls the listener with the names of keys that may have changed, directly or through their owner. Returns a
   * function that unsubscribes.
   */
  onChange(listener: (keyNames: Iterable<string>) => void): () => void;
}

export interface Authenticator {
  /**
   * Authenticates a bearer token. `undefined` if the response must be 401; the client does not learn the cause.
   * `fingerprint` is the `tokenFingerprint` of the token, if it is already computed.
   */
  authenticate(token: string, fingerprint?: string): Identity | undefined;
  /**
   * Authenticates a token that was created with an access key. The token is valid only as long as the access key is
   * valid.
   */
  authenticateByKey(key: TokenKey): Identity | undefined;
  /** Ends every session and all streams that use a session. */
  close(): void;
}

/** The maximum length of a bearer token, checked before hashing. All valid keys are shorter (completions §5). */
const maxTokenLength = 512;

/**
 * Creates the authenticator, which maps bearer tokens to identities. The authenticator compares only keyed hashes. An
 * attacker without the seal key cannot choose these hashes, so the duration of a lookup reveals nothing about the value
 * of a key.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { clock, permissionSignals: signals } = options;
  const fingerprintOf = (state: KeyState) => options.fingerprintOf?.(state) ?? keyFingerprint(state);
  const sessions = createSessions({
    clock,
    keyByName: (name) => options.keyByName(name),
    onPermissionsChanged: (name) => signals.notifyKey(name),
  });
  const tokens = createTokenHashCache(options);
  /**
   * The identity of each session, by the signal of the session. Requests with the same key share one identity object.
   */
  const identities = new WeakMap<AbortSignal, { readonly state: KeyState; readonly identity: Identity }>();
  const stopListening = options.onChange((names) => sessions.recheck(names));

  function identityOf(state: KeyState | undefined): Identity | undefined {
    if (!isUsableKey(state, clock.now())) return undefined;
    const { user, name } = state;
    const signal = sessions.signal(state);
    options.onUse(name);
    const cached = identities.get(signal);
    if (cached !== undefined && isSameInput(cached.state, state)) return cached.identity;
    const identity: Identity = {
      user,
      accessKey: name,
      system: false,
      signal,
      ...(state.addresses === undefined ? {} : { allowsAddress: compileAddressRanges(JSON.parse(state.addresses)) }),
      permissionSignal(as) {
        // The permission signal reports only changes after this call. Therefore, if the user or the scopes of the key
        // have changed since authentication, return a signal that has already fired.
        const current = options.keyByName(name);
        const isUnchanged = current !== undefined && hasSamePermissions(state, current);
        return isUnchanged ? signals.signalFor(as ?? user, name) : signals.firedSignal();
      },
    };
    identities.set(signal, { state, identity });
    return identity;
  }

  return {
    authenticate(token, fingerprint) {
      if (token.length > maxTokenLength) return undefined;
      return identityOf(tokens.find(token, options.keyByHash, fingerprint));
    },

    authenticateByKey({ name, uid, mark }) {
      const state = options.keyByName(name);
      return state?.uid === uid && fingerprintOf(state) === mark ? identityOf(state) : undefined;
    },

    close() {
      stopListening();
      sessions.close();
    },
  };
}

/**
 * True if both states result in the same identity. Compares object references, which is fast, because every request
 * calls this function.
 */
function isSameInput(a: KeyState, b: KeyState): boolean {
  return a.user === b.user && a.scopes === b.scopes && a.addresses === b.addresses;
}
