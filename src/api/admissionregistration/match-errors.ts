import type { JsonValue } from '@flotilla/json';
import { pathSegmentFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { labelSelectorErrors } from '../selectors/selector-object.ts';
import type { MatchResources, NamedRule } from './match-resources.ts';

/** Returns the validation errors of `matchResources` or `matchConstraints` at `path`, worded as in Kubernetes. */
export function matchResourcesErrors(match: MatchResources, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = (name: string): string => childPath(path, name);
  if (match.matchPolicy === undefined) errors.push(required(at('matchPolicy')));
  else if (!['Equivalent', 'Exact'].includes(match.matchPolicy)) {
    errors.push(notSupported(at('matchPolicy'), match.matchPolicy, ['Equivalent', 'Exact']));
  }
  for (const name of ['namespaceSelector', 'objectSelector'] as const) {
    if (match[name] === undefined) errors.push(required(at(name)));
    else errors.push(...labelSelectorErrors(match[name] as JsonValue, at(name)));
  }
  for (const name of ['resourceRules', 'excludeResourceRules'] as const) {
    for (const [index, rule] of (match[name] ?? []).entries())
      errors.push(...ruleErrors(rule, indexPath(at(name), index)));
  }
  return errors;
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Returns the validation errors of a resource rule of an admission policy or webhook. */
export function ruleErrors(rule: NamedRule, path: string): FieldError[] {
  const at = (name: string): string => childPath(path, name);
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, name] of (rule.resourceNames ?? []).entries()) {
    const field = indexPath(at('resourceNames'), index);
    for (const fault of pathSegmentFaults(name)) errors.push(invalid(field, name, fault));
    if (names.has(name)) errors.push(duplicate(field, name));
    names.add(name);
  }
  errors.push(...listErrors(rule.operations, at('operations'), 'operations'));
  for (const [index, operation] of (rule.operations ?? []).entries()) {
    if (OPERATIONS.includes(operation)) continue;
    errors.push(notSupported(indexPath(at('operations'), index), operation, OPERATIONS));
  }
  errors.push(...listErrors(rule.apiGroups, at('apiGroups'), 'API groups'));
  errors.push(...listErrors(rule.apiVersions, at('apiVersions'), 'API versions'));
  for (const [index, version] of (rule.apiVersions ?? []).entries()) {
    if (version === '') errors.push(required(indexPath(at('apiVersions'), index)));
  }
  errors.push(...resourceErrors(rule.resources ?? [], at('resources')));
  if (rule.scope !== undefined && !SCOPES.includes(rule.scope))
    errors.push(notSupported(at('scope'), rule.scope, SCOPES));
  return errors;
}

function listErrors(items: readonly string[] | undefined, path: string, what: string): FieldError[] {
  if (items === undefined || items.length === 0) return [required(path)];
  if (items.length === 1 || !items.includes('*')) return [];
  return [invalid(path, [...items], `if '*' is present, must not specify other ${what}`)];
}

function resourceErrors(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const whole = new Set<string>();
  const everywhere = new Set<string>();
  for (const [index, text] of resources.entries()) {
    const field = indexPath(path, index);
    if (text === '') errors.push(required(field));
    const slash = text.indexOf('/');
    if (slash < 0) continue;
    const [resource, part] = [text.slice(0, slash), text.slice(slash + 1)];
    if (whole.has(resource))
      errors.push(invalid(field, text, `if '${resource}/*' is present, must not specify ${text}`));
    if (everywhere.has(part)) errors.push(invalid(field, text, `if '*/${part}' is present, must not specify ${text}`));
    if (part === '*') whole.add(resource);
    if (resource === '*') everywhere.add(part);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, [...resources], "if '*/*' is present, must not specify other resources"));
  }
  const lastPlain = resources.filter((text) => text !== '' && !text.includes('/')).at(-1);
  if (resources.includes('*') && lastPlain !== undefined && lastPlain !== '*') {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(path, [...resources], detail));
  }
  return errors;
}
