import { equalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, required } from '../../../../api/field-error.ts';
import { indexPath, keyPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, listOf, numberOf, objectAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import type { Check } from '../object-rules.ts';
import { isSet } from '../pods/pod-context.ts';
import { annotationsOf, appArmorOfContainer, mirrorPod, podAnnotationErrors } from '../pods/template-rules.ts';
import { tolerations } from '../toleration-checks.ts';
import { withoutAllowedChanges } from './allowed-pod-changes.ts';

const maxDeadline = 2_147_483_647;

/**
 * Validates an update of a pod that does not use a subresource. Checks the changes that clients can make, and reports
 * an error for all other changes.
 */
export const podChanges: Check = function* (pod, position) {
  yield* annotationChanges(pod, position);
  const [spec, old] = [objectAt(pod, 'spec'), objectAt(position.old, 'spec')];
  for (const list of ['containers', 'initContainers']) {
    const containers = itemsAt(spec, list, 'spec');
    if (containers.length !== listOf(old[list]).length) {
      yield forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers');
      return;
    }
    for (const [container, path] of containers) yield* changedImageErrors(textOf(container.image), `${path}.image`);
  }
  const deadline = deadlineError(spec, old);
  if (deadline !== undefined) yield deadline;
  if (deadline !== undefined && isSet(spec.activeDeadlineSeconds)) return;
  yield* tolerationChanges(spec, old, position);
  yield* gateChanges(spec, old);
  yield* otherChanges(spec, old);
};

/** Validates the changes of annotations, and then all annotations again, as Kubernetes does. */
export const annotationChanges: Check = function* (pod, position) {
  const path = 'metadata.annotations';
  const [next, old] = [annotationsOf(pod), annotationsOf(position.old)];
  const isProtected = (key: string) => key === mirrorPod || key.startsWith(appArmorOfContainer);
  for (const key of Object.keys(old)) {
    if (next[key] === old[key] || !isProtected(key)) continue;
    const what = key === mirrorPod ? 'mirror pod annotation' : 'AppArmor annotations';
    yield forbiddenField(keyPath(path, key), `may not remove or update ${what}`);
  }
  for (const key of Object.keys(next)) {
    if (old[key] !== undefined || !isProtected(key)) continue;
    const what = key === mirrorPod ? 'mirror pod annotation' : 'AppArmor annotations';
    yield forbiddenField(keyPath(path, key), `may not add ${what}`);
  }
  yield* podAnnotationErrors(pod, { ...position, path });
};

function changedImageErrors(image: string, path: string): FieldError[] {
  if (image === '') return [required(path)];
  return faultErrors(path, image, image.trim() === image ? [] : ['must not have leading or trailing whitespace']);
}

/** Returns an error for a deadline that is removed or extended, or out of range. */
function deadlineError(spec: JsonObject, old: JsonObject): FieldError | undefined {
  const path = 'spec.activeDeadlineSeconds';
  const [next, before] = [spec.activeDeadlineSeconds ?? undefined, old.activeDeadlineSeconds ?? undefined];
  if (next === undefined) {
    if (before === undefined) return undefined;
    return invalid(path, null, 'must not update from a positive integer to nil value');
  }
  const seconds = numberOf(next);
  if (seconds < 0 || seconds > maxDeadline)
    return invalid(path, next, `must be between 0 and ${maxDeadline}, inclusive`);
  if (before === undefined || numberOf(before) >= seconds) return undefined;
  return invalid(path, next, 'must be less than or equal to previous value');
}

const tolerationKey = (toleration: JsonValue) => {
  const { key, operator, value, effect } = toleration as JsonObject;
  return JSON.stringify([key, operator, value, effect].map((member) => textOf(member ?? undefined)));
};

const tolerationChanges = function* (spec: JsonObject, old: JsonObject, position: Parameters<Check>[1]) {
  const known = new Set(listOf(spec.tolerations).map(tolerationKey));
  const path = 'spec.tolerations';
  if (listOf(old.tolerations).some((toleration) => !known.has(tolerationKey(toleration)))) {
    yield forbiddenField(path, 'existing toleration can not be modified except its tolerationSeconds');
    return;
  }
  yield* tolerations(spec.tolerations ?? undefined, { ...position, path });
};

function* gateChanges(spec: JsonObject, old: JsonObject): Generator<FieldError> {
  const names = new Set(listOf(old.schedulingGates).map((gate) => textOf((gate as JsonObject).name)));
  for (const [index, gate] of listOf(spec.schedulingGates).entries()) {
    const name = textOf((gate as JsonObject).name);
    if (names.has(name)) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    yield forbiddenField(`${indexPath('spec.schedulingGates', index)}.name`, detail);
  }
}

const updatable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

function* otherChanges(spec: JsonObject, old: JsonObject): Generator<FieldError> {
  if (equalJson(spec, old)) return;
  const errors: FieldError[] = [];
  const remaining = withoutAllowedChanges(spec, old, errors);
  yield* errors;
  const members = new Set([...Object.keys(remaining), ...Object.keys(old)]);
  const changed = [...members].filter((name) => !equalJson(remaining[name] ?? null, old[name] ?? null));
  if (changed.length === 0) return;
  const detail = `pod updates may not change fields other than ${updatable}`;
  yield forbiddenField(
    'spec',
    `${detail}\n${changed
      .toSorted()
      .map((name) => `spec.${name}`)
      .join(', ')}`,
  );
}
