import { asleepByForce, asleepByRest } from '../../api/management/sleep-reasons.ts';
import { sleepSeconds } from '../../api/management/sleep-seconds.ts';
import { deleteAfterAnnotation, sleepAfterAnnotation, sleepForceAnnotation } from '../../api/naming.ts';
import { textAt } from '../../lib/json-path.ts';
import type { InstanceFacts } from './instance-facts.ts';

/** Whether an instance is to sleep or to go now, because nobody uses it or because somebody says so. */
export interface SleepMode {
  readonly asleep: typeof asleepByForce | typeof asleepByRest | undefined;
  readonly deleted: boolean;
  /** What counts as its last use; undefined: none is known, and nothing depends on it. Milliseconds since the epoch. */
  readonly lastActivity: number | undefined;
  /** Something is to happen when it is not used. */
  readonly dependsOnUse: boolean;
  /** When to look again, if nothing happens until then. */
  readonly againAfterMilliseconds: number | undefined;
}

/** The clock may be set; whatever is due in a long time is looked at from time to time. */
const longestRest = 3_600_000;

/**
 * A function of what is known. Without a last use that is known, the time counts from now on: what was not seen is never
 * taken for what did not happen.
 */
export function sleepModeOf(facts: InstanceFacts, used: number | undefined, now: number): SleepMode {
  const forced = facts.annotation(sleepForceAnnotation) === 'true';
  const sleepAfter = sleepSeconds(facts.annotation(sleepAfterAnnotation));
  const deleteAfter = sleepSeconds(facts.annotation(deleteAfterAnnotation));
  if (sleepAfter === undefined && deleteAfter === undefined) {
    const asleep = forced ? asleepByForce : undefined;
    const lastActivity = knownUse(facts, used, now);
    return { asleep, deleted: false, lastActivity, dependsOnUse: false, againAfterMilliseconds: undefined };
  }
  const lastActivity = lastUse(facts, used, forced, now);
  const left = (seconds: number | undefined) =>
    seconds === undefined ? Number.POSITIVE_INFINITY : lastActivity + seconds * 1000 - now;
  const rests = left(sleepAfter) <= 0;
  const next = Math.min(...[left(sleepAfter), left(deleteAfter)].filter((each) => each > 0), longestRest);
  return {
    asleep: forced ? asleepByForce : rests ? asleepByRest : undefined,
    deleted: left(deleteAfter) <= 0,
    lastActivity,
    dependsOnUse: true,
    againAfterMilliseconds: next,
  };
}

function lastUse(facts: InstanceFacts, used: number | undefined, forced: boolean, now: number): number {
  const { object } = facts;
  // Whoever ends a forced sleep wants to use it.
  const wasForced =
    textAt(object, 'status', 'phase') === 'Sleeping' && textAt(object, 'status', 'reason') === asleepByForce;
  if (wasForced && !forced) return now;
  return knownUse(facts, used, now) ?? now;
}

function knownUse({ object }: InstanceFacts, used: number | undefined, now: number): number | undefined {
  const noted = Date.parse(textAt(object, 'status', 'lastActivity'));
  if (Number.isNaN(noted)) return used;
  // A clock that was set back must not keep it awake for ever.
  return Math.min(Math.max(noted, used ?? 0), now);
}
