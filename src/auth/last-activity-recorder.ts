import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

export interface LastActivityRecorderOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Writes `status.lastActivity` of the key. Must not fail if the key was deleted meanwhile. */
  write(keyName: string, time: number): Promise<void>;
  /** Returns the stored `lastActivity`, so that a restart does not cause a write for every key in use. */
  storedTime?(keyName: string): number | undefined;
  /**
   * True if the key's expiry depends on its last activity: the stored time must then be accurate even after a crash.
   */
  expiresByInactivity?(keyName: string): boolean;
}

export interface LastActivityRecorder {
  /** Records a use in memory. Called for each request. */
  recordUse(keyName: string): void;
  /**
   * The latest use that is not yet stored. A key that expires a given time after its last activity stays valid by it,
   * also if it would expire before the next write.
   */
  latestUse(keyName: string): number | undefined;
  /** Writes all recorded uses that are not yet stored. */
  close(): Promise<void>;
}

/** The first use must be visible within a second; the other half of it is left for the write. */
const firstWriteDelay = 500;
/** The minimum pause between two flushes: each iterates over all pending uses. */
const minPause = 250;
const interval = 60_000;
/**
 * The maximum number of pending keys, about 100 bytes each. Beyond it a use is dropped; the key's next use is recorded.
 */
const maxPending = 250_000;
/**
 * With very many keys in use, one write per key and minute would dominate the load of the store. Later uses are then
 * written less often: about a hundred keys per second.
 */
const spacing = 10;
/** Concurrent writes: enough to share a flush to disk, too few to slow down requests. */
const concurrentWrites = 32;

interface PendingUse {
  usedAt: number;
  /** On the monotonic clock, like all other delays here. */
  dueAt: number;
}

/** Records the last use of each key. The first use is written within a second, later ones at most once a minute. */
export function createLastActivityRecorder(options: LastActivityRecorderOptions): LastActivityRecorder {
  const { clock, log } = options;
  const pending = new Map<string, PendingUse>();
  /** The time of this process's last write of a key, kept as long as it delays the next write. */
  const recent = new Map<string, number>();
  /** Uses that are being written now: valid already, although no status shows them yet. */
  const inFlight = new Map<string, number>();
  let cancelTimer: (() => void) | undefined;
  let wakeAt = Number.POSITIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();
  let closed = false;

  const wake = (at: number): void => {
    if (closed || at >= wakeAt) return;
    cancelTimer?.();
    wakeAt = at;
    cancelTimer = clock.after(at - clock.elapsed(), () => {
      wakeAt = Number.POSITIVE_INFINITY;
      writing = writing.then(() => writeDue(clock.elapsed()));
    });
  };

  const writeDue = async (now: number): Promise<void> => {
    for (const [name, at] of recent) if (at + interval <= now) recent.delete(name);
    const due = [...pending].filter(([, use]) => use.dueAt <= now);
    for (const [name, use] of due) {
      pending.delete(name);
      inFlight.set(name, use.usedAt);
      recent.set(name, now);
    }
    for (let start = 0; start < due.length; start += concurrentWrites) {
      await Promise.all(due.slice(start, start + concurrentWrites).map(([name, use]) => writeOne(name, use.usedAt)));
    }
    let next = Number.POSITIVE_INFINITY;
    for (const use of pending.values()) next = Math.min(next, use.dueAt);
    if (next < Number.POSITIVE_INFINITY) wake(Math.max(next, clock.elapsed() + minPause));
  };

  const writeOne = async (name: string, usedAt: number): Promise<void> => {
    try {
      await options.write(name, usedAt);
    } catch (error) {
      log.warn({ accessKey: name, error }, 'failed to write the last activity of an access key');
    } finally {
      inFlight.delete(name);
    }
  };

  /** On the monotonic clock. A stored time in the future was written before the clock was set back, and is ignored. */
  const lastWrite = (keyName: string, now: number, elapsed: number): number | undefined => {
    const own = recent.get(keyName);
    if (own !== undefined) return own;
    const age = now - (options.storedTime?.(keyName) ?? Number.NEGATIVE_INFINITY);
    return age < 0 ? undefined : elapsed - age;
  };

  return {
    recordUse(keyName) {
      if (closed) return;
      const now = clock.now();
      const use = pending.get(keyName);
      if (use !== undefined) {
        use.usedAt = now;
        return;
      }
      if (pending.size >= maxPending) return;
      const elapsed = clock.elapsed();
      const pause =
        options.expiresByInactivity?.(keyName) === true ? interval : Math.max(interval, pending.size * spacing);
      const dueAt = Math.max(elapsed + firstWriteDelay, (lastWrite(keyName, now, elapsed) ?? -pause) + pause);
      pending.set(keyName, { usedAt: now, dueAt });
      wake(dueAt);
    },

    latestUse: (keyName) => pending.get(keyName)?.usedAt ?? inFlight.get(keyName),

    async close() {
      closed = true;
      cancelTimer?.();
      await writing;
      await writeDue(Number.POSITIVE_INFINITY);
    },
  };
}
