import type { JsonValue } from '@flotilla/json';
import { pathSegmentFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, forbiddenField, invalid, notSupported, required } from '../field-error.ts';
import { indexPath } from '../schema/field-path.ts';
import { labelSelectorErrors } from '../selectors/selector-object.ts';
import { matchResourcesErrors } from './match-errors.ts';
import type { PolicyBindingSpec } from './validating-admission-policy-binding.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];

/** Returns the validation errors of a ValidatingAdmissionPolicyBinding, worded as in Kubernetes. */
export function policyBindingErrors(spec: PolicyBindingSpec): FieldError[] {
  return [...bindingErrors(spec), ...actionErrors(spec.validationActions ?? [], 'spec.validationActions')];
}

/**
 * Returns the validation errors of the members that ValidatingAdmissionPolicyBindings and
 * MutatingAdmissionPolicyBindings have in common.
 */
export function bindingErrors(
  spec: Pick<PolicyBindingSpec, 'policyName' | 'paramRef' | 'matchResources'>,
): FieldError[] {
  const { policyName = '', paramRef, matchResources } = spec;
  const errors: FieldError[] = [];
  if (policyName === '') errors.push(required('spec.policyName'));
  else for (const fault of subdomainFaults(policyName)) errors.push(invalid('spec.policyName', policyName, fault));
  if (paramRef !== undefined) errors.push(...paramErrors(paramRef, 'spec.paramRef'));
  if (matchResources !== undefined) errors.push(...matchResourcesErrors(matchResources, 'spec.matchResources'));
  return errors;
}

function paramErrors(reference: NonNullable<PolicyBindingSpec['paramRef']>, path: string): FieldError[] {
  const { name = '', selector, parameterNotFoundAction = '' } = reference;
  const errors: FieldError[] = [];
  const both = 'name and selector are mutually exclusive';
  if (name !== '') {
    for (const fault of pathSegmentFaults(name)) errors.push(invalid(`${path}.name`, name, fault));
    if (selector !== undefined) errors.push(forbiddenField(`${path}.name`, both));
  }
  if (selector !== undefined) {
    errors.push(...labelSelectorErrors(selector as JsonValue, `${path}.selector`));
    if (name !== '') errors.push(forbiddenField(`${path}.selector`, both));
  }
  if (name === '' && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'));
  const action = `${path}.parameterNotFoundAction`;
  if (parameterNotFoundAction === '') errors.push(required(action));
  else if (!['Deny', 'Allow'].includes(parameterNotFoundAction)) {
    errors.push(notSupported(action, parameterNotFoundAction, ['Deny', 'Allow']));
  }
  return errors;
}

function actionErrors(actions: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) errors.push(notSupported(indexPath(path, index), action, ACTIONS));
    if (seen.has(action)) errors.push(duplicate(indexPath(path, index), action));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(invalid(path, [...actions], detail));
  }
  if (actions.length === 0) errors.push(required(path, 'at least one validation action is required'));
  return errors;
}
