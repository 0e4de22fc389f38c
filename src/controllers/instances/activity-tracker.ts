import type { Clock } from '../../lib/clock.ts';
import type { InstanceActivity } from './instance-activity.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';
import type { SleepMode } from './sleep-mode.ts';

/**
 * Minimum time between two writes of `status.lastActivity`. `autoSleepIntervalMs` applies if auto-sleep or auto-delete
 * is enabled. `displayIntervalMs` applies if the field is only displayed.
 */
const autoSleepIntervalMs = 60_000;
const displayIntervalMs = 5 * 60_000;

interface TrackedUse {
  /** True if the instance sleeps. Every use of a sleeping instance is reported, because the first use must wake it. */
  readonly asleep: boolean;
  readonly intervalMs: number;
  /** Monotonic time at which a use was last reported. */
  reportedAt: number;
}

/**
 * Limits how often the use of an instance causes a reconcile. For a sleeping instance, every use causes a reconcile.
 * For other instances, the limit is one reconcile per minute with auto-sleep or auto-delete, and one per five minutes
 * without. Unused instances have no entry.
 */
export class ActivityTracker {
  readonly #activity: InstanceActivity;
  readonly #clock: Clock;
  readonly #trackedUses = new Map<string, TrackedUse>();

  constructor(activity: InstanceActivity, clock: Clock) {
    this.#activity = activity;
    this.#clock = clock;
  }

  /** Updates the entry of an instance. `isWritten` is true if this reconcile writes the last use to the status. */
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

  /**
   * Calls `onUse` with the uid of each used instance, at the limited rate, until the signal fires. `onUse` returns
   * false if there is no instance with this uid.
   */
  async follow(onUse: (uid: string) => boolean, signal: AbortSignal): Promise<void> {
    const stop = this.#activity.onActivity((uid) => {
      const now = this.#clock.elapsed();
      const entry = this.#trackedUses.get(uid);
      if (entry === undefined) {
        // Add an entry. It prevents further calls of `onUse` before the first reconcile of the instance.
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

/** True if `status.lastActivity` is missing or too old, or if the instance was just woken. */
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
