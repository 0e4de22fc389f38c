import type { Clock } from '../lib/clock.ts';
import type { TokenKey } from './gateway-token.ts';
import type { Identity } from './identity.ts';
import { hasSamePermissions, isUsable, type KeyState, keyFingerprint } from './key-state.ts';
import type { PermissionSignals } from './permission-signals.ts';
import { createSessions } from './sessions.ts';
import { createTokenHashCache } from './token-hash-cache.ts';

export interface AuthenticatorOptions {
  /** Returns the key whose value has this hash, from the access-key cache. Synchronous. */
  keyByHash(hash: string): KeyState | undefined;
  /** Returns the key with this name, from the access-key cache. Synchronous. */
  keyByName(keyName: string): KeyState | undefined;
  /** The keyed hash under which key values are stored. Without the seal key, a hash cannot be traced to its value. */
  hash(token: string): string;
  /**
   * True if a value has the format of a key, including its checksum. Malformed values are rejected without a lookup.
   */
  isWellFormed(token: string): boolean;
  /** Returns a fingerprint that changes with the value of the key. Defaults to `keyFingerprint`. */
  fingerprintOf?(state: KeyState): string;
  readonly clock: Clock;
  readonly permissionSignals: PermissionSignals;
  /** Called for each request that is authenticated with a key. Must be fast. */
  onUse(keyName: string): void;
  /** Reports keys that may have changed, directly or through their owner. Returns a function that unsubscribes. */
  onChange(listener: (keyNames: Iterable<string>) => void): () => void;
}

export interface Authenticator {
  /**
   * Returns `undefined` for a 401; the cause is not disclosed. `mark` is the `tokenFingerprint` of the token if it is
   * already computed.
   */
  authenticate(token: string, mark?: string): Identity | undefined;
  /** Authenticates a caller with a credential derived from a key, which is valid as long as the key is. */
  resume(key: TokenKey): Identity | undefined;
  /** Ends every session, and with it every stream. */
  close(): void;
}

/** Longer than any valid key (completions §5). Longer tokens are rejected before hashing. */
const maxTokenLength = 512;

/**
 * Maps bearer tokens to identities. Only the HMAC of the value is compared, and an attacker without the seal key cannot
 * control it, so the duration of a lookup reveals nothing about any key's value.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { clock, permissionSignals: signals } = options;
  const markOf = (state: KeyState) => options.fingerprintOf?.(state) ?? keyFingerprint(state);
  const sessions = createSessions({
    clock,
    keyByName: (name) => options.keyByName(name),
    onPermissionsChanged: (name) => signals.notifyKey(name),
  });
  const tokens = createTokenHashCache(options);
  /** Identities by the signal of their session: requests with the same key share one identity object. */
  const identities = new WeakMap<AbortSignal, { readonly state: KeyState; readonly identity: Identity }>();
  const stopListening = options.onChange((names) => sessions.recheck(names));

  function identityOf(state: KeyState | undefined): Identity | undefined {
    if (!isUsable(state, clock.now())) return undefined;
    const { user, name } = state;
    const signal = sessions.signal(state);
    options.onUse(name);
    const cached = identities.get(signal);
    if (cached?.state.user === user && cached.state.scopes === state.scopes) return cached.identity;
    const identity: Identity = {
      user,
      accessKey: name,
      system: false,
      signal,
      permissionSignal(as) {
        // The key may have changed owner since authentication; no notification of that change would come any more.
        const current = options.keyByName(name);
        const isUnchanged = current !== undefined && hasSamePermissions(state, current);
        return isUnchanged ? signals.signalFor(as ?? user, name) : signals.firedSignal();
      },
    };
    identities.set(signal, { state, identity });
    return identity;
  }

  return {
    authenticate(token, mark) {
      if (token.length > maxTokenLength) return undefined;
      return identityOf(tokens.find(token, options.keyByHash, mark));
    },

    resume({ name, uid, mark }) {
      const state = options.keyByName(name);
      return state?.uid === uid && markOf(state) === mark ? identityOf(state) : undefined;
    },

    close() {
      stopListening();
      sessions.close();
    },
  };
}
