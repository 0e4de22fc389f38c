import type { Clock } from '../lib/clock.ts';
import type { TokenKey } from './gateway-token.ts';
import type { Identity } from './identity.ts';
import { isSameRights, isUsable, type KeyState, keyMark } from './key-state.ts';
import { createKnownTokens } from './known-tokens.ts';
import type { RightsSignals } from './rights-signals.ts';
import { createSessions } from './sessions.ts';

export interface AuthenticatorOptions {
  /** From the access-key cache: the key whose value has this hash. Must not wait. */
  lookup(hash: string): KeyState | undefined;
  /** The same for the key of this name. */
  current(keyName: string): KeyState | undefined;
  /** The keyed hash under which values are kept; without the seal key nobody can tell which value gives which hash. */
  hash(token: string): string;
  /** Whether a value has a form that a key can have, its checksum included; refuses without a look-up. */
  isWellFormed(token: string): boolean;
  /** Tells a key from the same one with another value. Absent: `keyMark`. */
  markOf?(state: KeyState): string;
  readonly clock: Clock;
  readonly rights: RightsSignals;
  /** Called for each request that a key opened; must be quick. */
  onUse(keyName: string): void;
  /** Tells which keys may have changed, by themselves or through whom they are for. Returns how to stop. */
  onChange(listener: (keyNames: Iterable<string>) => void): () => void;
}

export interface Authenticator {
  /**
   * undefined: 401, whatever the cause; the caller learns no more. `mark`: the `tokenMark` of the token, where that is
   * known.
   */
  authenticate(token: string, mark?: string): Identity | undefined;
  /** The same for one who comes with something that was made with a key, and is good for as long as the key is. */
  resume(key: TokenKey): Identity | undefined;
  /** Ends every session, and with them every stream. */
  close(): void;
}

/** Longer than any key may be (completions §5); nothing beyond it is ever hashed. */
const longestToken = 512;

/**
 * Bearer tokens to identities. The only thing compared is the HMAC of the value, and an attacker who does not have
 * the seal key cannot steer it, so how long a look-up takes says nothing about any key's value.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { clock, rights } = options;
  const markOf = (state: KeyState) => options.markOf?.(state) ?? keyMark(state);
  const sessions = createSessions({
    clock,
    current: (name) => options.current(name),
    onOtherRights: (name) => rights.keyChanged(name),
  });
  const tokens = createKnownTokens(options);
  /** By the signals of their sessions: who comes again with the same key is the same. */
  const identities = new WeakMap<AbortSignal, { readonly state: KeyState; readonly identity: Identity }>();
  const stopListening = options.onChange((names) => sessions.recheck(names));

  function identityOf(state: KeyState | undefined): Identity | undefined {
    if (!isUsable(state, clock.now())) return undefined;
    const { user, name } = state;
    const signal = sessions.signal(state);
    options.onUse(name);
    const known = identities.get(signal);
    if (known?.state.user === user && known.state.scopes === state.scopes) return known.identity;
    const identity: Identity = {
      user,
      accessKey: name,
      system: false,
      signal,
      rights(as) {
        // Between then and now the key may have become another's; nobody would tell of that any more.
        const current = options.current(name);
        const isStill = current !== undefined && isSameRights(state, current);
        return isStill ? rights.of(as ?? user, name) : rights.fired();
      },
    };
    identities.set(signal, { state, identity });
    return identity;
  }

  return {
    authenticate(token, mark) {
      if (token.length > longestToken) return undefined;
      return identityOf(tokens.find(token, options.lookup, mark));
    },

    resume({ name, uid, mark }) {
      const state = options.current(name);
      return state?.uid === uid && markOf(state) === mark ? identityOf(state) : undefined;
    },

    close() {
      stopListening();
      sessions.close();
    },
  };
}
