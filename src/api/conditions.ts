import { equalJson } from '@flotilla/json';
import { type Timestamp, timestamp } from './meta.ts';

/**
 * A status condition of an object. If the status is not True, the message states the cause and how to resolve it.
 */
export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  /** The time at which `status` last changed. Changes to the reason or message do not affect it. */
  lastTransitionTime?: Timestamp;
  /** The `metadata.generation` from which the condition was computed. */
  observedGeneration?: number;
};

/**
 * Returns a copy of `list` in which `condition` replaces the condition of the same type. Returns `list` itself if
 * nothing changed, so that callers can skip the write. Does not modify `list`.
 */
export function setCondition(list: Condition[], condition: Condition, now: number): Condition[] {
  const at = list.findIndex((other) => other.type === condition.type);
  const before = list[at];
  const since =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : timestamp(now);
  const after: Condition = { ...condition, lastTransitionTime: since };
  if (before === undefined) return [...list, after];
  if (equalJson(before, after)) return list;
  return list.with(at, after);
}
