import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

export interface LastActivityOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Writes `status.lastActivity` of the key. A key that is gone meanwhile is not an error. */
  write(keyName: string, time: number): Promise<void>;
  /** What the key's status says now, so that a restart does not begin with a write for every key in use. */
  written?(keyName: string): number | undefined;
  /** Whether the key's end counts from its last activity: then what is written must be near the truth after a crash too. */
  countsFrom?(keyName: string): boolean;
}

export interface LastActivity {
  /** Called for each request; only takes a note. */
  used(keyName: string): void;
  /**
   * The latest use that no status shows yet: a key that ends so and so long after its last activity is alive by this,
   * also where its end is nearer than the next write.
   */
  latest(keyName: string): number | undefined;
  /** Writes what was noted and not yet written. */
  close(): Promise<void>;
}

/** The first use must be visible inside a second; a quarter of it is left for the write. */
const firstDelay = 500;
/** No two looks for what is due are nearer to each other: each goes through all notes. */
const shortestPause = 250;
const interval = 60_000;
/** Keys noted at a time, some 100 bytes each. Beyond it a use is passed over: the key's next use is noted again. */
const mostNoted = 250_000;
/**
 * With very many keys in use a write a minute for each would be most of what the store does: later uses are then written
 * less often, about a hundred keys in a second.
 */
const spacing = 10;
/** Writes under way at a time: enough for them to share a flush, too few to be felt by requests. */
const together = 32;

interface Note {
  usedAt: number;
  /** In elapsed time, like everything here that says how long to wait. */
  dueAt: number;
}

/** When each key was last used: the first use is written inside a second, later ones at most once a minute. */
export function createLastActivity(options: LastActivityOptions): LastActivity {
  const { clock, log } = options;
  const noted = new Map<string, Note>();
  /** When a key was last written by this process, for as long as that delays its next write. */
  const recent = new Map<string, number>();
  /** What is being written at this moment: true already, though no status says so yet. */
  const underWay = new Map<string, number>();
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
    const due = [...noted].filter(([, note]) => note.dueAt <= now);
    for (const [name, note] of due) {
      noted.delete(name);
      underWay.set(name, note.usedAt);
      recent.set(name, now);
    }
    for (let start = 0; start < due.length; start += together) {
      await Promise.all(due.slice(start, start + together).map(([name, note]) => writeOne(name, note.usedAt)));
    }
    let next = Number.POSITIVE_INFINITY;
    for (const note of noted.values()) next = Math.min(next, note.dueAt);
    if (next < Number.POSITIVE_INFINITY) wake(Math.max(next, clock.elapsed() + shortestPause));
  };

  const writeOne = async (name: string, usedAt: number): Promise<void> => {
    try {
      await options.write(name, usedAt);
    } catch (error) {
      log.warn({ accessKey: name, error }, 'the last activity of an access key could not be written');
    } finally {
      underWay.delete(name);
    }
  };

  /** In elapsed time. What a status says of the time to come was written before the clock was set back. */
  const lastWrite = (keyName: string, now: number, elapsed: number): number | undefined => {
    const own = recent.get(keyName);
    if (own !== undefined) return own;
    const age = now - (options.written?.(keyName) ?? Number.NEGATIVE_INFINITY);
    return age < 0 ? undefined : elapsed - age;
  };

  return {
    used(keyName) {
      if (closed) return;
      const now = clock.now();
      const note = noted.get(keyName);
      if (note !== undefined) {
        note.usedAt = now;
        return;
      }
      if (noted.size >= mostNoted) return;
      const elapsed = clock.elapsed();
      const pause = options.countsFrom?.(keyName) === true ? interval : Math.max(interval, noted.size * spacing);
      const dueAt = Math.max(elapsed + firstDelay, (lastWrite(keyName, now, elapsed) ?? -pause) + pause);
      noted.set(keyName, { usedAt: now, dueAt });
      wake(dueAt);
    },

    latest: (keyName) => noted.get(keyName)?.usedAt ?? underWay.get(keyName),

    async close() {
      closed = true;
      cancelTimer?.();
      await writing;
      await writeDue(Number.POSITIVE_INFINITY);
    },
  };
}
