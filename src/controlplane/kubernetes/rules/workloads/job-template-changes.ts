import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, invalid } from '../../../../api/field-error.ts';
import { fieldIsImmutable, listOf, memberAt, numberOf, objectAt } from '../checks.ts';
import type { Check } from '../object-rules.ts';
import { isConditionTrue } from './job-status-rules.ts';

/** The members of the pod that may be changed while a job is suspended. */
const schedulingMembers = ['nodeSelector', 'tolerations', 'schedulingGates'];

/**
 * The template of a job cannot be changed, with one exception: if the job is suspended and has no active pods, a client
 * may change the resources of containers, the members that decide on the node, and the metadata of the pods.
 */
export const immutableTemplate: Check = function* (object, { old }) {
  const template = objectAt(objectAt(object, 'spec'), 'template');
  const before = objectAt(objectAt(old, 'spec'), 'template');
  if (!isTemplateMutable(old)) {
    if (!equalJson(template, before)) yield changed('spec.template', template);
    return;
  }
  const pod = objectAt(template, 'spec');
  const expected = withResources(withScheduling(objectAt(before, 'spec'), pod), pod);
  if (!equalJson(pod, expected)) yield changed('spec.template.spec', pod);
};

function changed(path: string, value: JsonObject): FieldError {
  return invalid(path, value, fieldIsImmutable);
}

function isTemplateMutable(old: JsonObject | undefined): boolean {
  const status = objectAt(old, 'status');
  const isStarted = (status.startTime ?? undefined) !== undefined;
  return (
    memberAt(old, ['spec', 'suspend']) === true &&
    (!isStarted || isConditionTrue(status, 'Suspended')) &&
    numberOf(status.active) === 0
  );
}

/** Returns the old pod, but with the new pod's members that decide on its node. */
function withScheduling(old: JsonObject, pod: JsonObject): JsonObject {
  const result = { ...old };
  for (const name of schedulingMembers) copyMember(result, pod, name);
  const affinity = isJsonObject(old.affinity) ? { ...old.affinity } : undefined;
  if (!isJsonObject(pod.affinity)) {
    if (affinity === undefined) return result;
    delete affinity.nodeAffinity;
    if (Object.keys(affinity).length === 0) delete result.affinity;
    else result.affinity = affinity;
    return result;
  }
  const next: JsonObject = affinity ?? {};
  copyMember(next, pod.affinity, 'nodeAffinity');
  result.affinity = next;
  return result;
}

function copyMember(target: JsonObject, source: JsonObject, name: string): void {
  const value = source[name];
  if (value === undefined) delete target[name];
  else target[name] = value;
}

/** Returns the old pod, but with the new pod's container resources. */
function withResources(old: JsonObject, pod: JsonObject): JsonObject {
  const result = { ...old };
  for (const name of ['containers', 'initContainers']) {
    const [before, after] = [listOf(old[name]), listOf(pod[name])];
    if (before.length === 0 || before.length !== after.length) continue;
    result[name] = before.map((container, index) => resourcesCopied(container, after[index]));
  }
  return result;
}

function resourcesCopied(container: JsonValue, from: JsonValue | undefined): JsonValue {
  if (!isJsonObject(container) || !isJsonObject(from) || container.name !== from.name) return container;
  const result = { ...container };
  copyMember(result, from, 'resources');
  return result;
}
