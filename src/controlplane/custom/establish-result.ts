import { equalJson, type JsonValue } from '@flotilla/json';
import { acceptNames, type UsedNames } from '../../api/apiextensions/accepted-names.ts';
import { approvalOf, isProtectedGroup } from '../../api/apiextensions/api-approval.ts';
import { conditionOf, type Definition, type DefinitionStatus } from '../../api/apiextensions/definition.ts';
import { type Condition, setCondition } from '../../api/conditions.ts';

/** The status to write to a CustomResourceDefinition, and whether its kind is served. */
export interface EstablishResult {
  readonly status: DefinitionStatus;
  readonly isServed: boolean;
}

/**
 * Computes the accepted names and the conditions of a CustomResourceDefinition. An established definition keeps its
 * accepted names, even if a later update requests other names.
 */
export function establishResultOf(definition: Definition, used: UsedNames, now: number): EstablishResult {
  const { names, condition } = acceptNames(definition, used);
  const isAccepted = condition.status === 'True';
  let conditions = [...(definition.status.conditions ?? [])];
  conditions = setCondition(conditions, condition, now);
  const before = conditionOf(definition, 'Established');
  const isServed = isAccepted || before?.status === 'True';
  conditions = setCondition(conditions, isServed ? established(before) : notAccepted(before), now);
  const approval = approvalCondition(definition);
  if (approval !== undefined) conditions = setCondition(conditions, approval, now);
  const { storedVersions = [], ...others } = definition.status;
  return { status: { ...others, conditions, acceptedNames: names, storedVersions }, isServed };
}

function established(before: Condition | undefined): Condition {
  if (before?.status === 'True') return before;
  return {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  };
}

function notAccepted(before: Condition | undefined): Condition {
  if (before !== undefined) return before;
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

const approvals = {
  missing: ['False', 'MissingAnnotation'],
  invalid: ['False', 'InvalidAnnotation'],
  approved: ['True', 'ApprovedAnnotation'],
  bypassed: ['False', 'UnapprovedAnnotation'],
} as const;

function approvalCondition(definition: Definition): Condition | undefined {
  if (!isProtectedGroup(definition.spec.group ?? '')) return undefined;
  const approval = approvalOf(definition);
  const [status, reason] = approvals[approval.state];
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message: approval.reason };
}

export function isSameDefinitionStatus(a: DefinitionStatus, b: DefinitionStatus): boolean {
  return equalJson(a as JsonValue, b as JsonValue);
}
