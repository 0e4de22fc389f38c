import type { Clock } from '../../lib/clock.ts';
import type { InstanceActivity } from './instance-activity.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';
import type { SleepMode } from './sleep-mode.ts';

/**
 * Minimum time between two writes of an instance's last use: if auto-sleep depends on it, and if it is only displayed.
 */
const autoSleepIntervalMs = 60_000;
const displayIntervalMs = 5 * 60_000;

interface TrackedUse {
  /** True if the instance sleeps. Then every use is reported, because the next use wakes the instance. */
  readonly asleep: boolean;
  readonly intervalMs: number;
  /** Monotonic clock time of the last report. */
  reportedAt: number;
}

/**
 * Limits how often the use of an instance causes a reconcile: every use of a sleeping instance, one per minute if the
 * instance has auto-sleep or auto-delete, one per five minutes otherwise. Unused instances have no entry.
 */
export class ActivityTracker {
  readonly #activity: InstanceActivity;
  readonly #clock: Clock;
  readonly #trackedUses = new Map<string, TrackedUse>();

  constructor(activity: InstanceActivity, clock: Clock) {
    this.#activity = activity;
    this.#clock = clock;
  }

  /** Updates the entry of an instance. `isWritten`: this reconcile writes the last use to the status. */
  update({ uid }: InstanceSnapshot, mode: SleepMode, isWritten: boolean): void {
    if (mode.lastActivity === undefined) {
      this.#trackedUses.delete(uid);
      return;
    }
    const now = this.#clock.elapsed();
    const reportedAt = isWritten ? now : (this.#trackedUses.get(uid)?.reportedAt ?? now);
    const asleep = mode.dependsOnUse && mode.sleepReason !== undefined;
    this.#trackedUses.set(uid, { asleep, intervalMs: intervalOf(mode), reportedAt });
  }

  forget(uid: string): void {
    this.#trackedUses.delete(uid);
  }

  /** Calls `onUse` until the signal fires. `onUse` returns false if there is no instance with this uid. */
  async follow(onUse: (uid: string) => boolean, signal: AbortSignal): Promise<void> {
    const stop = this.#activity.onActivity((uid) => {
      const now = this.#clock.elapsed();
      const entry = this.#trackedUses.get(uid);
      if (entry === undefined) {
        // Until the first reconcile, further uses add no information.
        if (onUse(uid)) this.#trackedUses.set(uid, { asleep: false, intervalMs: displayIntervalMs, reportedAt: now });
        return;
      }
      if (!entry.asleep && now - entry.reportedAt < entry.intervalMs) return;
      entry.reportedAt = now;
      onUse(uid);
    });
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    stop();
  }
}

/** True if `status.lastActivity` differs too much from the known last use. */
export function isActivityStale({ object }: InstanceSnapshot, mode: SleepMode): boolean {
  if (mode.lastActivity === undefined) return false;
  const stored = Date.parse(object.status?.lastActivity ?? '');
  if (Number.isNaN(stored)) return true;
  const wasWoken = mode.sleepReason === undefined && object.status?.phase === 'Sleeping';
  return wasWoken || Math.abs(mode.lastActivity - stored) >= intervalOf(mode);
}

function intervalOf({ dependsOnUse }: SleepMode): number {
  return dependsOnUse ? autoSleepIntervalMs : displayIntervalMs;
}
