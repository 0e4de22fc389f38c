import { parseSleepSeconds } from '../../api/management/parse-sleep-seconds.ts';
import { sleepForcedReason, sleepUnusedReason } from '../../api/management/sleep-reasons.ts';
import { sleepReminderMs } from '../../api/management/sleep-reminder.ts';
import {
  deleteAfterAnnotation,
  lastActivityAnnotation,
  sleepAfterAnnotation,
  sleepForceAnnotation,
} from '../../api/naming.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';

/** The decision whether an instance sleeps or is deleted now, because it is unused or because a user requests it. */
export interface SleepMode {
  readonly sleepReason: typeof sleepForcedReason | typeof sleepUnusedReason | undefined;
  readonly isExpired: boolean;
  /** True if auto-sleep is due soon. It becomes true some time before people are notified about the coming sleep. */
  readonly isSleepNear: boolean;
  /**
   * Time of the last use in milliseconds since the epoch; `undefined` if it is unknown and no setting depends on it.
   */
  readonly lastActivity: number | undefined;
  /** True if auto-sleep or auto-delete is enabled, so that the decision depends on the last use. */
  readonly dependsOnUse: boolean;
  /** Time until the decision must be computed again; `undefined` if only a change can affect it. */
  readonly requeueAfterMilliseconds: number | undefined;
}

/**
 * Maximum time, in milliseconds, until the sleep mode is computed again. The limit is needed because the wall clock may
 * be changed.
 */
const maxCheckIntervalMs = 3_600_000;

/**
 * Computes the sleep mode. If the last use is unknown, the time without use is counted from now, because the instance
 * may have been used without being observed.
 */
export function sleepModeOf(snapshot: InstanceSnapshot, lastUsed: number | undefined, now: number): SleepMode {
  const forced = snapshot.annotation(sleepForceAnnotation) === 'true';
  const sleepAfter = parseSleepSeconds(snapshot.annotation(sleepAfterAnnotation));
  const deleteAfter = parseSleepSeconds(snapshot.annotation(deleteAfterAnnotation));
  if (sleepAfter === undefined && deleteAfter === undefined) {
    const asleep = forced ? sleepForcedReason : undefined;
    const lastActivity = latestKnownUse(snapshot, lastUsed, now);
    return {
      sleepReason: asleep,
      isExpired: false,
      isSleepNear: false,
      lastActivity,
      dependsOnUse: false,
      requeueAfterMilliseconds: undefined,
    };
  }
  const lastActivity = lastUse(snapshot, lastUsed, forced, now);
  const remaining = (seconds: number | undefined) =>
    seconds === undefined ? Number.POSITIVE_INFINITY : lastActivity + seconds * 1000 - now;
  const isIdle = remaining(sleepAfter) <= 0;
  // Use twice the reminder period. The result of the check is then in the status before people are notified.
  const untilNear = remaining(sleepAfter) - 2 * sleepReminderMs((sleepAfter ?? 0) * 1000);
  const next = Math.min(
    ...[remaining(sleepAfter), untilNear, remaining(deleteAfter)].filter((each) => each > 0),
    maxCheckIntervalMs,
  );
  return {
    sleepReason: forced ? sleepForcedReason : isIdle ? sleepUnusedReason : undefined,
    isExpired: remaining(deleteAfter) <= 0,
    isSleepNear: untilNear <= 0 && !isIdle && !forced,
    lastActivity,
    dependsOnUse: true,
    requeueAfterMilliseconds: next,
  };
}

function lastUse(snapshot: InstanceSnapshot, lastUsed: number | undefined, forced: boolean, now: number): number {
  const { object } = snapshot;
  // Removing the annotation that forces sleep counts as a use.
  const wasForced = object.status?.phase === 'Sleeping' && object.status.reason === sleepForcedReason;
  if (wasForced && !forced) return now;
  return latestKnownUse(snapshot, lastUsed, now) ?? now;
}

function latestKnownUse(snapshot: InstanceSnapshot, lastUsed: number | undefined, now: number): number | undefined {
  const stored = Date.parse(snapshot.object.status?.lastActivity ?? '');
  const reported = reportedUse(snapshot, now);
  if (Number.isNaN(stored) && reported === undefined) return lastUsed;
  // If the wall clock was set back, a last use in the future must not keep the instance awake forever.
  return Math.min(Math.max(Number.isNaN(stored) ? 0 : stored, lastUsed ?? 0, reported ?? 0), now);
}

/**
 * The maximum time by which a client's clock may be ahead. A later time is ignored, because it would prevent every
 * sleep.
 */
const maxClientSkewMs = 60_000;

/** Returns the use that a client has reported in an annotation; `undefined` if there is none. */
function reportedUse(snapshot: InstanceSnapshot, now: number): number | undefined {
  const text = snapshot.annotation(lastActivityAnnotation);
  if (!/^\d{1,11}$/.test(text)) return undefined;
  const reported = Number(text) * 1000;
  return reported > now + maxClientSkewMs ? undefined : reported;
}
