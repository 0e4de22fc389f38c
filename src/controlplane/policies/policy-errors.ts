import type { Parse } from '@flotilla/cel';
import type { JsonValue } from '@flotilla/json';
import { dns1035LabelFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { matchResourcesErrors } from '../../api/admissionregistration/match-errors.ts';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../api/field-error.ts';
import { parseApiVersion } from '../../api/meta.ts';
import { childPath, indexPath } from '../../api/schema/field-path.ts';
import { compilePolicy, type PolicyExpression } from './compile-policy.ts';

const MOST_CONDITIONS = 64;
const MOST_ANNOTATIONS = 20;
const LONGEST_ANNOTATION = 5 * 1024;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

/** Returns the validation errors of a policy and of its CEL expressions. */
export async function policyErrors(parse: Parse, name: string, spec: PolicySpec): Promise<FieldError[]> {
  const errors = policyBaseErrors(spec);
  const compiled = await compilePolicy(parse, spec);
  errors.push(...conditionErrors(spec.matchConditions ?? [], compiled.conditions, 'spec.matchConditions'));
  errors.push(...variableErrors(spec.variables ?? [], [...compiled.variables.values()]));
  const validations = spec.validations ?? [];
  const annotations = spec.auditAnnotations ?? [];
  if (validations.length === 0 && annotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [...errors, required('spec.validations', detail), required('spec.auditAnnotations', detail)];
  }
  for (const [index, { validation, expression, message }] of compiled.validations.entries()) {
    errors.push(...validationErrors(validation, indexPath('spec.validations', index), expression, message));
  }
  return [
    ...errors,
    ...annotationErrors(
      name,
      annotations,
      compiled.annotations.map((one) => one.expression),
    ),
  ];
}

/** The members that validating and mutating policies have in common. */
export type PolicyBaseSpec = Pick<
  PolicySpec,
  'failurePolicy' | 'paramKind' | 'matchConstraints' | 'matchConditions' | 'variables'
>;

/** Returns the validation errors of the members that validating and mutating policies have in common, except CEL. */
export function policyBaseErrors({ failurePolicy, paramKind, matchConstraints }: PolicyBaseSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (failurePolicy === undefined) errors.push(required('spec.failurePolicy'));
  else if (!['Fail', 'Ignore'].includes(failurePolicy)) {
    errors.push(notSupported('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']));
  }
  if (paramKind !== undefined) errors.push(...paramKindErrors(paramKind, 'spec.paramKind'));
  if (matchConstraints === undefined) errors.push(required('spec.matchConstraints'));
  else {
    errors.push(...matchResourcesErrors(matchConstraints, 'spec.matchConstraints'));
    if ((matchConstraints.resourceRules ?? []).length === 0)
      errors.push(required('spec.matchConstraints.resourceRules'));
  }
  return errors;
}

function paramKindErrors(
  { apiVersion = '', kind = '' }: NonNullable<PolicySpec['paramKind']>,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const at = childPath(path, 'apiVersion');
  if (apiVersion === '') errors.push(required(at));
  else if (apiVersion.split('/').length > 2) {
    errors.push(invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const { group, version } = parseApiVersion(apiVersion);
    const faults = group === '' ? [] : subdomainFaults(group);
    if (faults.length > 0) errors.push(invalid(at, group, faults.join(',')));
    if (version === '') errors.push(invalid(at, apiVersion, 'version must be specified'));
    else if (dns1035LabelFaults(version).length > 0) {
      errors.push(invalid(at, version, dns1035LabelFaults(version).join(',')));
    }
  }
  const faults = dns1035LabelFaults(kind.toLowerCase());
  if (kind === '') errors.push(required(childPath(path, 'kind')));
  else if (faults.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
    errors.push(invalid(childPath(path, 'kind'), kind, detail));
  }
  return errors;
}

/** Returns an error if the expression at `path` does not compile. */
export function faultOf(expression: PolicyExpression | undefined, path: string): FieldError[] {
  return expression?.fault === undefined ? [] : [invalid(path, expression.text, expression.fault)];
}

/** Returns the validation errors of match conditions at `path`. `compiled` contains their expressions, in order. */
export function conditionErrors(
  conditions: NonNullable<PolicySpec['matchConditions']>,
  compiled: readonly PolicyExpression[],
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (conditions.length > MOST_CONDITIONS) errors.push(tooMany(path, conditions.length, MOST_CONDITIONS));
  const names = new Set<string>();
  for (const [index, { name, expression = '' }] of conditions.entries()) {
    const at = indexPath(path, index);
    if (expression.trim() === '') errors.push(required(childPath(at, 'expression')));
    else errors.push(...faultOf(compiled[index], childPath(at, 'expression')));
    if (name === '') errors.push(required(childPath(at, 'name')));
    for (const fault of name === '' ? [] : qualifiedNameFaults(name)) {
      errors.push(invalid(childPath(at, 'name'), name, fault));
    }
    if (name !== '' && names.has(name)) errors.push(duplicate(childPath(at, 'name'), name));
    names.add(name);
  }
  return errors;
}

/** Returns the validation errors of the variables of a policy. `compiled` contains their expressions, in order. */
export function variableErrors(
  variables: NonNullable<PolicySpec['variables']>,
  compiled: readonly PolicyExpression[],
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { name, expression = '' }] of variables.entries()) {
    const at = indexPath('spec.variables', index);
    if (name.trim() === '') errors.push(required(childPath(at, 'name'), 'name is not specified'));
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name)) {
      errors.push(invalid(childPath(at, 'name'), name, 'must be a valid CEL identifier'));
    }
    if (expression.trim() === '') errors.push(required(childPath(at, 'expression'), 'expression is not specified'));
    else errors.push(...faultOf(compiled[index], childPath(at, 'expression')));
  }
  return errors;
}

function validationErrors(
  { expression = '', message = '', messageExpression = '', reason }: NonNullable<PolicySpec['validations']>[number],
  path: string,
  compiled: PolicyExpression,
  compiledMessage: PolicyExpression | undefined,
): FieldError[] {
  const at = (name: string): string => childPath(path, name);
  const errors: FieldError[] = [];
  if (expression.trim() === '') errors.push(required(at('expression'), 'expression is not specified'));
  else errors.push(...faultOf(compiled, at('expression')));
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalid(at('messageExpression'), messageExpression, 'must be non-empty if specified'));
  } else {
    errors.push(...faultOf(compiledMessage, at('messageExpression')));
  }
  if (message !== '' && message.trim() === '') {
    errors.push(invalid(at('message'), message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(at('message'), message, 'must not contain line breaks'));
  }
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(at('reason'), reason, REASONS));
  return errors;
}

function annotationErrors(
  policy: string,
  annotations: NonNullable<PolicySpec['auditAnnotations']>,
  compiled: readonly PolicyExpression[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (annotations.length > MOST_ANNOTATIONS) {
    const detail = `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`;
    errors.push(invalid('spec.auditAnnotations', annotations as JsonValue, detail));
  }
  const keys = new Set<string>();
  for (const [index, { key = '', valueExpression = '' }] of annotations.entries()) {
    const at = indexPath('spec.auditAnnotations', index);
    const name = `${policy}/${key}`;
    for (const fault of qualifiedNameFaults(name)) errors.push(invalid(childPath(at, 'key'), name, fault));
    const value = childPath(at, 'valueExpression');
    if (valueExpression.trim() === '') errors.push(required(value, 'valueExpression is not specified'));
    else if (Buffer.byteLength(valueExpression.trim()) > LONGEST_ANNOTATION) {
      errors.push(required(value, `must not exceed ${LONGEST_ANNOTATION} bytes in length`));
    } else {
      errors.push(...faultOf(compiled[index], value));
    }
    if (keys.has(key)) errors.push(duplicate(childPath(at, 'key'), key));
    keys.add(key);
  }
  return errors;
}
