import { setMaxListeners } from 'node:events';
import type { UserInfo } from '../api/user-info.ts';
import type { Clock } from '../lib/clock.ts';
import { isUsable, type KeyState } from './key-state.ts';

interface Session {
  readonly state: KeyState;
  readonly controller: AbortController;
  cancelTimer: (() => void) | undefined;
}

/** One signal for everything that a key has open. */
export interface Sessions {
  /** The signal of a usable key, shared by all who come with it. `hash` is that of its value. */
  signal(hash: string, state: KeyState): AbortSignal;
  /** Ends what is no longer right: the one key, or without a hash everything there is. */
  recheck(hash?: string): void;
  readonly size: number;
  close(): void;
}

/**
 * At most one session a key, held from its first use until its right to be here ends, so memory is bounded by the
 * number of keys that exist and work. A key's session also ends when its user's name or groups change: rights that
 * were decided with the old ones do not outlive them; whoever reconnects gets the new ones.
 */
export function createSessions(clock: Clock, lookup: (hash: string) => KeyState | undefined): Sessions {
  const sessions = new Map<string, Session>();

  const end = (hash: string, session: Session, why: string): void => {
    sessions.delete(hash);
    session.cancelTimer?.();
    session.controller.abort(new DOMException(why, 'AbortError'));
  };

  const check = (hash: string, session: Session): void => {
    const state = lookup(hash);
    if (!isUsable(state, clock.now())) {
      end(hash, session, 'the access key is no longer valid');
    } else if (!isSame(session.state, state)) {
      end(hash, session, 'the access key or its rights have changed');
    } else {
      arm(hash, session, state.expiresAt);
    }
  };

  // The end of a key can move (ttlAfterLastActivity); what counts is what the cache says when the timer fires.
  const arm = (hash: string, session: Session, expiresAt: number | undefined): void => {
    session.cancelTimer?.();
    session.cancelTimer =
      expiresAt === undefined ? undefined : clock.after(expiresAt - clock.now(), () => check(hash, session));
  };

  return {
    signal(hash, state) {
      const known = sessions.get(hash);
      if (known !== undefined) {
        if (isSame(known.state, state)) return known.controller.signal;
        end(hash, known, 'the access key or its rights have changed');
      }
      const controller = new AbortController();
      setMaxListeners(0, controller.signal);
      const session: Session = { state, controller, cancelTimer: undefined };
      sessions.set(hash, session);
      arm(hash, session, state.expiresAt);
      return controller.signal;
    },

    recheck(hash) {
      if (hash === undefined) {
        for (const [each, session] of [...sessions]) check(each, session);
      } else {
        const session = sessions.get(hash);
        if (session !== undefined) check(hash, session);
      }
    },

    get size() {
      return sessions.size;
    },

    close() {
      for (const [hash, session] of [...sessions]) end(hash, session, 'the server is shutting down');
    },
  };
}

function isSame(a: KeyState, b: KeyState): boolean {
  return a.uid === b.uid && a.version === b.version && isSameUser(a.user, b.user);
}

function isSameUser(a: UserInfo | undefined, b: UserInfo | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    a.name === b.name &&
    a.uid === b.uid &&
    a.groups.length === b.groups.length &&
    a.groups.every((group, index) => group === b.groups[index]) &&
    JSON.stringify(a.extra ?? {}) === JSON.stringify(b.extra ?? {})
  );
}
