import type { Clock } from '../lib/clock.ts';
import type { Identity } from './identity.ts';
import { isUsable, type KeyState } from './key-state.ts';
import { createSessions } from './sessions.ts';

export interface AuthenticatorOptions {
  /** From the access-key cache: the key whose value has this hash. Must not wait. */
  lookup(hash: string): KeyState | undefined;
  /** The keyed hash under which values are kept; without the seal key nobody can tell which value gives which hash. */
  hash(token: string): string;
  /** Whether a value has a form that a key can have, its checksum included; refuses without a look-up. */
  isWellFormed(token: string): boolean;
  readonly clock: Clock;
  /** Called for each request that a key opened; must be quick. */
  onUse(keyName: string): void;
  /**
   * Tells when keys, users or teams changed: with the hash of the one key, or with nothing if it may be any. Returns
   * how to stop.
   */
  onChange(listener: (hash?: string) => void): () => void;
}

export interface Authenticator {
  /** undefined: 401, whatever the cause; the caller learns no more. */
  authenticate(token: string): Identity | undefined;
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
  const sessions = createSessions(options.clock, options.lookup);
  const stopListening = options.onChange((hash) => sessions.recheck(hash));

  return {
    authenticate(token) {
      if (token.length > longestToken || !options.isWellFormed(token)) return undefined;
      const hash = options.hash(token);
      const state = options.lookup(hash);
      if (!isUsable(state, options.clock.now())) return undefined;
      const signal = sessions.signal(hash, state);
      options.onUse(state.name);
      return { user: state.user, accessKey: state.name, system: false, signal };
    },

    close() {
      stopListening();
      sessions.close();
    },
  };
}
