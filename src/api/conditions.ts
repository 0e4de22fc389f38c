import { equalJson } from '@flotilla/json';
import { type Timestamp, timestamp } from './meta.ts';

/**
 * One observation of the state of an object. If the status is not True, the message states the cause and the remedy.
 */
export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  /** When `status` last changed; other changes do not move it. */
  lastTransitionTime?: Timestamp;
  /** The `metadata.generation` that the condition was computed from. */
  observedGeneration?: number;
};

/**
 * Returns the list with this condition in place of the previous one of its type. Never modifies the given list. Returns
 * the same list if nothing changed, so that callers can skip the write.
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
