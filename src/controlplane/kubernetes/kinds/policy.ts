import { type JsonObject, type JsonValue, listAt, numberAt, objectAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { labelSelectorErrors } from '../../../api/selectors/selector-object.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import { conditionErrors } from '../rules/condition-rules.ts';
import { choiceErrors, invalidStruct, nonNegativeErrors, numberOrPercentErrors } from '../rules/field-rules.ts';
import { integerColumn } from './columns.ts';

function budgetErrors(object: KubeObject): FieldError[] {
  const spec = objectAt(object as JsonValue, 'spec') ?? {};
  const { minAvailable, maxUnavailable } = spec;
  return [
    ...(minAvailable === undefined || maxUnavailable === undefined
      ? []
      : [invalidStruct('spec', internalSpec(spec), 'minAvailable and maxUnavailable cannot be both set')]),
    ...(minAvailable === undefined ? [] : numberOrPercentErrors('spec.minAvailable', minAvailable)),
    ...(maxUnavailable === undefined ? [] : numberOrPercentErrors('spec.maxUnavailable', maxUnavailable)),
    ...labelSelectorErrors(spec.selector, 'spec.selector'),
    ...choiceErrors('spec.unhealthyPodEvictionPolicy', spec.unhealthyPodEvictionPolicy, [
      'IfHealthyBudget',
      'AlwaysAllow',
    ]),
  ];
}

/** Returns the spec with the member names of Kubernetes' internal struct. The error message contains these names. */
function internalSpec(spec: JsonObject): JsonObject {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}

function statusErrors(object: KubeObject): FieldError[] {
  const status = objectAt(object as JsonValue, 'status');
  const amounts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
  return [
    ...conditionErrors(listAt(status, 'conditions'), 'status.conditions'),
    ...amounts.flatMap((name) => nonNegativeErrors(`status.${name}`, numberAt(status, name) ?? 0)),
  ];
}

function amountColumn(name: string, member: string, description: string) {
  const amount = (object: KubeObject) => {
    const value = valueAt(object as JsonValue, 'spec', member);
    return value === undefined ? 'N/A' : String(value);
  };
  return column(name, amount, { description, path: `spec.${member}` });
}

/** The kinds of policy/v1. */
export const policyKinds: readonly KubernetesKind[] = [
  {
    struct: 'policy.PodDisruptionBudget',
    group: 'policy',
    plural: 'poddisruptionbudgets',
    shortNames: ['pdb'],
    namespaced: true,
    description: 'A limit on the number of pods of an application that may be evicted at the same time.',
    generation: { first: 1, increasedBy: 'spec' },
    unconditionalUpdate: false,
    status: { keeps: [], validate: statusErrors },
    validate: budgetErrors,
    columns: [
      amountColumn('Min Available', 'minAvailable', 'The number of pods that must stay available.'),
      amountColumn('Max Unavailable', 'maxUnavailable', 'The number of pods that may be unavailable.'),
      integerColumn('Allowed Disruptions', 'status.disruptionsAllowed', 'The number of pods that may be evicted now.'),
      ageColumn,
    ],
  },
];
