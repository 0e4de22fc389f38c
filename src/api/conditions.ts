import { equalJson } from '../lib/json-value.ts';
import { type Timestamp, timestamp } from './meta.ts';

/** One thing that is known about an object. What is not True says why and what to do. */
export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  /** When `status` last changed; other changes do not move it. */
  lastTransitionTime?: Timestamp;
  /** The generation that was looked at. */
  observedGeneration?: number;
};

/**
 * The list with this condition in it, in place of the one of its type. The list that was given is never changed, and
 * is itself the answer where nothing changed: callers need not write then.
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
