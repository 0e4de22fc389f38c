import type { Clock } from '../lib/clock.ts';

/** The time of the last use of each instance, by instance uid. Auto-sleep and auto-delete depend on it. */
export interface ActivityLog {
  /**
   * Records a use at `time`, in milliseconds since the epoch; defaults to the current time. Ignored if a later use is
   * already recorded.
   */
  recordUse(uid: string, time?: number): void;
  /**
   * Returns the time of the last use in milliseconds since the epoch; `undefined` if none was recorded in this process.
   */
  lastActivity(uid: string): number | undefined;
  /** Calls the listener at each use. Returns a function that unsubscribes. The listener must be fast. */
  onActivity(listener: (uid: string) => void): () => void;
  /** Removes the record of a deleted instance. */
  forget(uid: string): void;
  /** Waits until other replicas can read the last use. Absent if there are no other replicas. */
  publish?(uid: string): Promise<void>;
  /** Records the last use that other replicas have observed. Absent if there are no other replicas. */
  refresh?(uid: string): Promise<void>;
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
