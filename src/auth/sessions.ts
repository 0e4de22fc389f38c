import { getEventListeners, setMaxListeners } from 'node:events';
import { unauthorized } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { isSameRights, isUsable, type KeyState } from './key-state.ts';

interface Session {
  state: KeyState;
  readonly controller: AbortController;
  /** By the clock's `elapsed`. */
  usedAt: number;
  cancelTimer: (() => void) | undefined;
}

export interface SessionsOptions {
  readonly clock: Clock;
  /** What is true of the key of this name now. Must not wait. */
  current(keyName: string): KeyState | undefined;
  /** The key still opens the door, but for another user, other groups or within other scopes than before. */
  onOtherRights(keyName: string): void;
}

/** One signal for everything that a key has open. */
export interface Sessions {
  /** The signal of a usable key, shared by all who come with it. */
  signal(state: KeyState): AbortSignal;
  /** Ends what is no longer right of these keys. */
  recheck(keyNames: Iterable<string>): void;
  readonly size: number;
  close(): void;
}

/** Beyond so many is looked which of them are of use to nobody: not used for a while, and nothing waits for their end. */
const firstSweep = 1_024;
const idleMilliseconds = 60_000;

/**
 * At most one session a key, from a use of it until its right to be here ends, or until nothing of it is left open. A
 * session outlives a change of rights: that is told apart, and ends streams only.
 */
export function createSessions(options: SessionsOptions): Sessions {
  const { clock } = options;
  const sessions = new Map<string, Session>();
  let sweepAt = firstSweep;

  const end = (session: Session, reason: Error): void => {
    sessions.delete(session.state.name);
    session.cancelTimer?.();
    session.controller.abort(reason);
  };

  const check = (session: Session): void => {
    const state = options.current(session.state.name);
    if (!isUsable(state, clock.now()) || !isSameKey(session.state, state)) {
      end(session, unauthorized());
    } else {
      follow(session, state);
      arm(session, state.expiresAt);
    }
  };

  const follow = (session: Session, state: KeyState): void => {
    const before = session.state;
    // What is the same stays: a new object for each use would live long enough to burden the collector.
    if (before.user === state.user && before.scopes === state.scopes) return;
    session.state = state;
    if (!isSameRights(before, state)) options.onOtherRights(state.name);
  };

  // The end of a key can move (ttlAfterLastActivity); what counts is what the cache says when the timer fires.
  const arm = (session: Session, expiresAt: number | undefined): void => {
    session.cancelTimer?.();
    session.cancelTimer = expiresAt === undefined ? undefined : clock.at(expiresAt, () => check(session));
  };

  const sweep = (): void => {
    const before = clock.elapsed() - idleMilliseconds;
    for (const [name, session] of sessions) {
      if (session.usedAt > before || getEventListeners(session.controller.signal, 'abort').length > 0) continue;
      session.cancelTimer?.();
      sessions.delete(name);
    }
    sweepAt = Math.max(firstSweep, 2 * sessions.size);
  };

  return {
    signal(state) {
      const known = sessions.get(state.name);
      if (known !== undefined) {
        if (isSameKey(known.state, state)) {
          follow(known, state);
          known.usedAt = clock.elapsed();
          return known.controller.signal;
        }
        end(known, unauthorized());
      }
      if (sessions.size >= sweepAt) sweep();
      const controller = new AbortController();
      setMaxListeners(0, controller.signal);
      const session: Session = { state, controller, usedAt: clock.elapsed(), cancelTimer: undefined };
      sessions.set(state.name, session);
      arm(session, state.expiresAt);
      return controller.signal;
    },

    recheck(keyNames) {
      for (const name of keyNames) {
        const session = sessions.get(name);
        if (session !== undefined) check(session);
      }
    },

    get size() {
      return sessions.size;
    },

    close() {
      for (const session of [...sessions.values()]) end(session, new Error('the server is shutting down'));
    },
  };
}

function isSameKey(a: KeyState, b: KeyState): boolean {
  return a.uid === b.uid && a.version === b.version;
}
