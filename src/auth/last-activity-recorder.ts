import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

export interface LastActivityRecorderOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The field of log lines that names the key. Optional; defaults to `accessKey`. */
  readonly logField?: string;
  /** Writes `status.lastActivity` of the key. Must not fail if the key has been deleted in the meantime. */
  write(keyName: string, time: number): Promise<void>;
  /** Returns the stored `lastActivity`. Without it, a restart would cause a write for every key in use. */
  storedTime?(keyName: string): number | undefined;
  /**
   * True if the expiry of the key depends on the key's last activity. In this case, the stored time must be accurate
   * even after a crash.
   */
  expiresByInactivity?(keyName: string): boolean;
  /**
   * Returns the longest time, in milliseconds, for which other replicas may not know about a use of the key. Optional;
   * not needed if there are no other replicas.
   */
  maxUnwrittenMilliseconds?(keyName: string): number | undefined;
}

export interface LastActivityRecorder {
  /** Records the use of a key in memory. Called for each request. */
  recordUse(keyName: string): void;
  /**
   * Returns the time of the latest use that is not stored yet. Such a use extends the life of a key that expires after
   * inactivity, even if the key would expire by its stored time before the use is stored.
   */
  latestUse(keyName: string): number | undefined;
  /** Stops the recorder. Writes all recorded uses that are not stored yet. */
  close(): Promise<void>;
}

/** Delay in milliseconds before the first use of a key is written. The use must be visible within one second. */
const firstWriteDelayMs = 500;
/** Minimum pause in milliseconds between two flushes, because each flush iterates over all pending uses. */
const minPauseMs = 250;
const writeIntervalMs = 60_000;
/** Maximum number of keys with a pending use, about 100 bytes each. Uses of further keys are not recorded. */
const maxPending = 250_000;
/**
 * The write interval is at least this number of milliseconds per pending key. This limits the writes to a hundred per
 * second. Otherwise, with very many keys in use, one write per key and minute would be most of the load of the store.
 */
const msPerPendingKey = 10;
/**
 * The number of concurrent writes. With this number, several writes share one flush to disk, but requests do not become
 * slower.
 */
const concurrentWrites = 32;

interface PendingUse {
  usedAt: number;
  /** The time of the next write, on the monotonic clock. */
  dueAt: number;
}

/** Records the last use of each key. The first use is written within a second, later uses at most once per minute. */
export function createLastActivityRecorder(options: LastActivityRecorderOptions): LastActivityRecorder {
  const { clock, log } = options;
  const pending = new Map<string, PendingUse>();
  /** For each key, the time at which this process last wrote it. Entries that no longer delay a write are removed. */
  const recent = new Map<string, number>();
  /**
   * Uses that are being written. Later uses are treated as if these were already stored, although no status contains
   * them yet.
   */
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
    for (const [name, at] of recent) if (at + writeIntervalMs <= now) recent.delete(name);
    const due = [...pending].filter(([name, use]) => use.dueAt <= now && !isPostponed(name, use, now));
    for (const [name, use] of due) {
      pending.delete(name);
      inFlight.set(name, use.usedAt);
      recent.set(name, now);
    }
    for (let start = 0; start < due.length; start += concurrentWrites) {
      await Promise.all(due.slice(start, start + concurrentWrites).map(([name, use]) => writeOne(name, use.usedAt)));
    }
    const next = earliestDue(pending.values());
    if (next < Number.POSITIVE_INFINITY) wake(Math.max(next, clock.elapsed() + minPauseMs));
  };

  const writeOne = async (name: string, usedAt: number): Promise<void> => {
    try {
      await options.write(name, usedAt);
    } catch (error) {
      log.warn({ [options.logField ?? 'accessKey']: name, error }, 'failed to write the time of the last use');
    } finally {
      inFlight.delete(name);
    }
  };

  const lastWrite = (keyName: string, now: number, elapsed: number): number | undefined =>
    lastWriteTime({ own: recent.get(keyName), stored: options.storedTime?.(keyName), now, elapsed });

  const pauseOf = (keyName: string): number => {
    const unwritten = Math.min(options.maxUnwrittenMilliseconds?.(keyName) ?? writeIntervalMs, writeIntervalMs);
    if (options.expiresByInactivity?.(keyName) === true) return unwritten;
    return Math.max(unwritten, pending.size * msPerPendingKey);
  };

  /** Postpones a write if another replica has written the key since the use was recorded. */
  const isPostponed = (keyName: string, use: PendingUse, elapsed: number): boolean => {
    if (elapsed === Number.POSITIVE_INFINITY) return false;
    const dueAt = (lastWrite(keyName, clock.now(), elapsed) ?? Number.NEGATIVE_INFINITY) + pauseOf(keyName);
    if (dueAt <= elapsed) return false;
    use.dueAt = dueAt;
    return true;
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
      const pause = pauseOf(keyName);
      const dueAt = Math.max(elapsed + firstWriteDelayMs, (lastWrite(keyName, now, elapsed) ?? -pause) + pause);
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

function earliestDue(uses: Iterable<PendingUse>): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { dueAt } of uses) earliest = Math.min(earliest, dueAt);
  return earliest;
}

interface KnownWrites {
  /** The time of the last write by this process, on the monotonic clock. */
  readonly own: number | undefined;
  /** The stored time of the last use, in milliseconds since the Unix epoch. */
  readonly stored: number | undefined;
  readonly now: number;
  readonly elapsed: number;
}

/**
 * Returns the time of a key's last write, on the monotonic clock. Ignores a stored time in the future, because such a
 * time was written before the clock was set back.
 */
function lastWriteTime({ own, stored, now, elapsed }: KnownWrites): number | undefined {
  const age = now - (stored ?? Number.NEGATIVE_INFINITY);
  if (age < 0 || age === Number.POSITIVE_INFINITY) return own;
  // The stored time may have been written by another replica after the last write by this process.
  return Math.max(own ?? Number.NEGATIVE_INFINITY, elapsed - age);
}
