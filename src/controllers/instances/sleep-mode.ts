import { asleepByForce, asleepByRest } from '../../api/management/sleep-reasons.ts';
import { sleepSeconds } from '../../api/management/sleep-seconds.ts';
import { deleteAfterAnnotation, sleepAfterAnnotation, sleepForceAnnotation } from '../../api/naming.ts';
import type { InstanceFacts } from './instance-facts.ts';

/** The decision whether an instance sleeps or is deleted now, because it is unused or because a user requests it. */
export interface SleepMode {
  readonly asleep: typeof asleepByForce | typeof asleepByRest | undefined;
  readonly deleted: boolean;
  /** Time of the last use in milliseconds since the epoch; `undefined` if unknown and not needed. */
  readonly lastActivity: number | undefined;
  /** Auto-sleep or auto-delete is enabled, so the last use matters. */
  readonly dependsOnUse: boolean;
  /** The time until the next check, if nothing happens before. */
  readonly againAfterMilliseconds: number | undefined;
}

/** Maximum time between checks: the wall clock may be changed. */
const maxCheckIntervalMs = 3_600_000;

/**
 * Computes the sleep mode. If the last use is unknown, the period starts now: use that was not observed does not mean
 * that the instance was unused.
 */
export function sleepModeOf(snapshot: InstanceFacts, lastUsed: number | undefined, now: number): SleepMode {
  const forced = snapshot.annotation(sleepForceAnnotation) === 'true';
  const sleepAfter = sleepSeconds(snapshot.annotation(sleepAfterAnnotation));
  const deleteAfter = sleepSeconds(snapshot.annotation(deleteAfterAnnotation));
  if (sleepAfter === undefined && deleteAfter === undefined) {
    const asleep = forced ? asleepByForce : undefined;
    const lastActivity = latestKnownUse(snapshot, lastUsed, now);
    return { asleep, deleted: false, lastActivity, dependsOnUse: false, againAfterMilliseconds: undefined };
  }
  const lastActivity = lastUse(snapshot, lastUsed, forced, now);
  const remaining = (seconds: number | undefined) =>
    seconds === undefined ? Number.POSITIVE_INFINITY : lastActivity + seconds * 1000 - now;
  const isIdle = remaining(sleepAfter) <= 0;
  const next = Math.min(
    ...[remaining(sleepAfter), remaining(deleteAfter)].filter((each) => each > 0),
    maxCheckIntervalMs,
  );
  return {
    asleep: forced ? asleepByForce : isIdle ? asleepByRest : undefined,
    deleted: remaining(deleteAfter) <= 0,
    lastActivity,
    dependsOnUse: true,
    againAfterMilliseconds: next,
  };
}

function lastUse(snapshot: InstanceFacts, lastUsed: number | undefined, forced: boolean, now: number): number {
  const { object } = snapshot;
  // Ending a forced sleep counts as a use.
  const wasForced = object.status?.phase === 'Sleeping' && object.status.reason === asleepByForce;
  if (wasForced && !forced) return now;
  return latestKnownUse(snapshot, lastUsed, now) ?? now;
}

function latestKnownUse({ object }: InstanceFacts, lastUsed: number | undefined, now: number): number | undefined {
  const stored = Date.parse(object.status?.lastActivity ?? '');
  if (Number.isNaN(stored)) return lastUsed;
  // A clock that was set back must not keep the instance awake forever.
  return Math.min(Math.max(stored, lastUsed ?? 0), now);
}
