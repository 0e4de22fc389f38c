import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import type { Timestamp } from '../../../../api/meta.ts';

/** A condition of a pod that the server sets. */
interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the condition of this type; `undefined` if the pod does not have it. */
export function podCondition(pod: JsonValue | undefined, type: string): JsonObject | undefined {
  return listAt(pod, 'status', 'conditions')
    .filter(isJsonObject)
    .find((condition) => textAt(condition, 'type') === type);
}

/**
 * Sets a condition in a status, in place. If the status of the condition does not change, its transition time does not
 * change either.
 */
export function setPodCondition(status: JsonObject, condition: PodCondition, now: Timestamp): void {
  const conditions = listAt(status, 'conditions').filter(isJsonObject);
  const old = conditions.find(({ type }) => type === condition.type);
  const isSame = old?.status === condition.status;
  const lastTransitionTime = isSame ? (old?.lastTransitionTime ?? now) : now;
  const next: JsonObject = { ...condition, lastTransitionTime };
  status.conditions = old === undefined ? [...conditions, next] : conditions.map((one) => (one === old ? next : one));
}
