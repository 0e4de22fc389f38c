import type { Clock } from '../lib/clock.ts';

/** When instances were last used, by their uid: what sleep and expiry go by. */
export interface ActivityLog {
  /** Somebody uses it, now or then; what is older than is known already says nothing. */
  used(uid: string, time?: number): void;
  /** Milliseconds since the epoch; undefined: not since the start of the server. */
  lastActivity(uid: string): number | undefined;
  /** Calls back at each use; the returned function ends that. A listener must be quick. */
  onActivity(listener: (uid: string) => void): () => void;
  /** It is gone. */
  forget(uid: string): void;
}

export function createActivityLog(clock: Clock): ActivityLog {
  const last = new Map<string, number>();
  const listeners = new Set<(uid: string) => void>();
  return {
    used(uid, time = clock.now()) {
      if ((last.get(uid) ?? 0) > time) return;
      last.set(uid, time);
      for (const listener of listeners) listener(uid);
    },
    lastActivity: (uid) => last.get(uid),
    onActivity(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forget(uid) {
      last.delete(uid);
    },
  };
}
