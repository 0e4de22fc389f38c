import { getEventListeners, setMaxListeners } from 'node:events';
import { unauthorized } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { hasSamePermissions, isUsableKey, type KeyState } from './key-state.ts';

interface Session {
  state: KeyState;
  readonly controller: AbortController;
  /** The time of the last use, on the monotonic clock. */
  usedAt: number;
  cancelTimer: (() => void) | undefined;
}

export interface SessionsOptions {
  readonly clock: Clock;
  /** Looks up the current state of an access key by its name. Synchronous. */
  keyByName(keyName: string): KeyState | undefined;
  /** Called if an access key is still valid, but its user, groups or scopes have changed. */
  onPermissionsChanged(keyName: string): void;
}

/** Sessions of access keys. A session is an abort signal that all requests with the same key share. */
export interface Sessions {
  /** Returns the abort signal of a valid access key. All requests with this key share it. */
  signal(state: KeyState): AbortSignal;
  /** Checks the given access keys and ends the sessions of keys that are no longer valid. */
  recheck(keyNames: Iterable<string>): void;
  readonly size: number;
  close(): void;
}

/** The number of sessions above which idle sessions without abort listeners are removed. */
const sweepThreshold = 1_024;
const idleMilliseconds = 60_000;

/**
 * Creates the registry of sessions, with at most one per access key. A session begins with the first use of the key. It
 * ends when the key becomes invalid, or when it is idle and has no listeners. If only the permissions change, the
 * session continues and `onPermissionsChanged` is called.
 */
export function createSessions(options: SessionsOptions): Sessions {
  const { clock } = options;
  const sessions = new Map<string, Session>();
  let sweepAt = sweepThreshold;

  const end = (session: Session, reason: Error): void => {
    sessions.delete(session.state.name);
    session.cancelTimer?.();
    session.controller.abort(reason);
  };

  const check = (session: Session): void => {
    const state = options.keyByName(session.state.name);
    if (!isUsableKey(state, clock.now()) || !isSameKey(session.state, state)) {
      end(session, unauthorized());
    } else {
      update(session, state);
      arm(session, state.expiresAt);
    }
  };

  const update = (session: Session, state: KeyState): void => {
    const before = session.state;
    // Keep the old state if nothing changed. Otherwise, each use would store a new long-lived object, which increases
    // the work of the garbage collector.
    if (before.user === state.user && before.scopes === state.scopes && before.addresses === state.addresses) return;
    session.state = state;
    if (!hasSamePermissions(before, state)) options.onPermissionsChanged(state.name);
  };

  // The expiry of a key can move to a later time (ttlAfterLastActivity), so the timer checks the current state again.
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
    sweepAt = Math.max(sweepThreshold, 2 * sessions.size);
  };

  return {
    signal(state) {
      const existing = sessions.get(state.name);
      if (existing !== undefined) {
        if (isSameKey(existing.state, state)) {
          update(existing, state);
          existing.usedAt = clock.elapsed();
          return existing.controller.signal;
        }
        end(existing, unauthorized());
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
