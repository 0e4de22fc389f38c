import { deepFreeze, flagAt, type JsonValue, numberAt, textAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import { type FieldError, forbiddenField, notSupported, required } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { forbidden } from '../../../api/status.ts';
import type { AdmissionAttributes } from '../../../registry/admission-attributes.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { resourceKey } from '../../../registry/rows/rows.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { immutableErrors } from '../rules/field-rules.ts';
import { integerColumn } from './columns.ts';

const group = 'scheduling.k8s.io';
const plural = 'priorityclasses';
const reservedPrefix = 'system-';
const maxUserPriority = 1_000_000_000;
const policies = ['PreemptLowerPriority', 'Never'];

function systemClass(name: string, value: number, description: string): KubeObject {
  return deepFreeze({
    apiVersion: `${group}/v1`,
    kind: 'PriorityClass',
    metadata: { name, generation: 1 },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  } as JsonValue) as KubeObject;
}

/** The priority classes that every plane has. They cannot be deleted. */
export const builtinPriorityClasses: readonly KubeObject[] = [
  systemClass('system-node-critical', 2 * maxUserPriority + 1000, 'For system pods that must stay on their node.'),
  systemClass('system-cluster-critical', 2 * maxUserPriority, 'For system pods that may move to another node.'),
];

const priorityOf = (object: KubeObject) => numberAt(object as JsonValue, 'value') ?? 0;

/**
 * Returns the reason why an object with a reserved name is refused; `undefined` if the object is the built-in class
 * with this name.
 */
function reservedNameFault(object: KubeObject): string | undefined {
  const { name = '' } = object.metadata;
  const builtin = builtinPriorityClasses.find(({ metadata }) => metadata.name === name);
  if (builtin === undefined) return `${name} is not a known system priority class`;
  if (priorityOf(builtin) !== priorityOf(object))
    return `value of ${name} PriorityClass must be ${priorityOf(builtin)}`;
  return flagAt(object as JsonValue, 'globalDefault')
    ? `globalDefault of ${name} PriorityClass must be false`
    : undefined;
}

function valueErrors(object: KubeObject): FieldError[] {
  if ((object.metadata.name ?? '').startsWith(reservedPrefix)) {
    const fault = reservedNameFault(object);
    const detail = `priority class names with '${reservedPrefix}' prefix are reserved for system use only. error: ${fault}`;
    return fault === undefined ? [] : [forbiddenField('metadata.name', detail)];
  }
  if (priorityOf(object) <= maxUserPriority) return [];
  return [forbiddenField('value', `maximum allowed value of a user defined priority is ${maxUserPriority}`)];
}

function policyErrors(object: KubeObject): FieldError[] {
  const policy = textAt(object as JsonValue, 'preemptionPolicy');
  if (policies.includes(policy)) return [];
  return [policy === '' ? required('preemptionPolicy') : notSupported('preemptionPolicy', policy, policies)];
}

function updateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const changedValue =
    priorityOf(object) === priorityOf(old) ? [] : [forbiddenField('value', 'may not be changed in an update.')];
  const policyOf = (of: KubeObject) => valueAt(of as JsonValue, 'preemptionPolicy');
  return [...changedValue, ...immutableErrors('preemptionPolicy', policyOf(object), policyOf(old))];
}

/** Throws 403 if a write makes a priority class the default although another class is already the default. */
export function refuseSecondDefault(
  { operation, resource, draft }: AdmissionAttributes,
  storeOf: (resourceKey: string) => KindStore | undefined,
): void {
  if (operation === 'DELETE' || resource.group !== group || resource.plural !== plural) return;
  const { object } = draft;
  if (!flagAt(object as JsonValue, 'globalDefault')) return;
  const isOtherDefault = (other: KubeObject) =>
    flagAt(other as JsonValue, 'globalDefault') && other.metadata.name !== object.metadata.name;
  const present = storeOf(resourceKey(resource))
    ?.peekAll()
    .find((served) => isOtherDefault(served.object));
  if (present === undefined) return;
  const detail = `PriorityClass ${present.object.metadata.name} is already marked as default. Only one default can exist`;
  throw forbidden({ group, resource: plural }, object.metadata.name ?? '', detail);
}

/** The kinds of scheduling.k8s.io/v1. */
export const schedulingKinds: readonly KubernetesKind[] = [
  {
    struct: 'scheduling.PriorityClass',
    group,
    plural,
    shortNames: ['pc'],
    namespaced: false,
    description: 'A priority of pods, by name.',
    generation: { first: 1, increasedBy: 'never' },
    unconditionalUpdate: true,
    validate: (object) => [...valueErrors(object), ...policyErrors(object)],
    validateUpdate: updateErrors,
    guardDelete({ metadata: { name = '' } }) {
      if (!builtinPriorityClasses.some(({ metadata }) => metadata.name === name)) return;
      throw forbidden({ group, resource: plural }, name, 'this is a system priority class and cannot be deleted');
    },
    columns: [
      integerColumn('Value', 'value', 'The priority. Pods with a higher one are scheduled first.'),
      column('Global-Default', 'globalDefault', {
        type: 'boolean',
        description: 'If true, pods that name no class get this priority.',
      }),
      ageColumn,
      column('PreemptionPolicy', 'preemptionPolicy', {
        description: 'PreemptLowerPriority if such pods may replace running pods of lower priority.',
      }),
    ],
  },
];
