import type { Clock } from '../lib/clock.ts';

/** The time of the last use of each instance, by uid. Auto-sleep and expiry depend on it. */
export interface ActivityLog {
  /** Records a use, now or at the given time. A time before the last known use is ignored. */
  recordUse(uid: string, time?: number): void;
  /** Milliseconds since the epoch. `undefined` if the instance has not been used since the server started. */
  lastActivity(uid: string): number | undefined;
  /** Calls the listener at each use; the returned function unsubscribes it. A listener must be fast. */
  onActivity(listener: (uid: string) => void): () => void;
  /** Drops the record of a deleted instance. */
  forget(uid: string): void;
}

export function createActivityLog(clock: Clock): ActivityLog {
  const last = new Map<string, number>();
  const listeners = new Set<(uid: string) => void>();
  return {
    recordUse(uid, time = clock.now()) {
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
