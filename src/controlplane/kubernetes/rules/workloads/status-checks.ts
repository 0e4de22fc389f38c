import type { JsonObject, JsonValue } from '@flotilla/json';
import { type FieldError, invalid } from '../../../../api/field-error.ts';
import { notNegative, numberOf, objectAt } from '../checks.ts';
import { memberChecks } from '../member-checks.ts';
import type { Check } from '../object-rules.ts';

/** The numbers in the status must not be negative. They are checked in the given order. */
export function notNegativeCounts(...names: readonly string[]): Check {
  return memberChecks('status', Object.fromEntries(names.map((name) => [name, [notNegative]])));
}

/**
 * The named counts must not be greater than `status.replicas`, and the number of available pods must not be greater
 * than the number of ready pods.
 */
export function atMostReplicas(names: readonly string[], ready = 'readyReplicas'): Check {
  return function* (object) {
    const status = objectAt(object, 'status');
    for (const name of names) {
      if (count(status, name) > count(status, 'replicas')) {
        yield tooLarge(status, name, 'cannot be greater than status.replicas');
      }
    }
    if (count(status, 'availableReplicas') > count(status, 'readyReplicas')) {
      yield tooLarge(status, 'availableReplicas', `cannot be greater than ${ready}`);
    }
  };
}

function count(status: JsonObject, name: string): number {
  return numberOf(status[name]);
}

function tooLarge(status: JsonObject, name: string, detail: string): FieldError {
  return invalid(`status.${name}`, status[name] ?? 0, detail);
}

/** The number of hash collisions must not become smaller. */
export const notDecremented: Check = function* (object, { old }) {
  const before = collisions(old);
  const after = collisions(object);
  if (before === undefined || (after !== undefined && numberOf(after) >= numberOf(before))) return;
  yield invalid('status.collisionCount', after ?? 0, 'cannot be decremented');
};

function collisions(object: JsonValue | undefined): JsonValue | undefined {
  return objectAt(object, 'status').collisionCount ?? undefined;
}
