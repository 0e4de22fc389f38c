import { type JsonValue, listAt } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, required, tooMany } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type PolicyRule, rulesOf } from '../../api/rbac/policy-rule.ts';
import { childPath, indexPath } from '../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../api/selectors/selector-object.ts';
import { isAggregatedRole } from './aggregated-rules.ts';

/**
 * The maximum number of selectors of an aggregated role. Kubernetes has no limit, but here all selectors are matched
 * with every cluster role that changes. Each default role has one selector.
 */
const maxSelectors = 100;

/**
 * The maximum number of aggregated roles in a plane. If all of them select one role, a change of that role updates all
 * of them.
 */
const maxAggregatedRoles = 100;

/**
 * Returns an error for a write that adds an aggregated role to a plane that already has the maximum number of
 * aggregated roles. `count` is the current number.
 */
export function aggregatedRoleLimitErrors(role: KubeObject, old: KubeObject | undefined, count: number): FieldError[] {
  const isNew = isAggregatedRole(role) && (old === undefined || !isAggregatedRole(old));
  if (!isNew || count < maxAggregatedRoles) return [];
  const detail = `a cluster can have at most ${maxAggregatedRoles} cluster roles with an aggregationRule`;
  return [forbiddenField('aggregationRule', detail)];
}

export function roleErrors(role: KubeObject): readonly FieldError[] {
  return rulesOf(role).flatMap((rule, index) => ruleErrors(rule, indexPath('rules', index), true));
}

export function clusterRoleErrors(role: KubeObject): readonly FieldError[] {
  const errors = rulesOf(role).flatMap((rule, index) => ruleErrors(rule, indexPath('rules', index), false));
  if (!isAggregatedRole(role)) return errors;
  const selectors = listAt(role as JsonValue, 'aggregationRule', 'clusterRoleSelectors');
  const path = 'aggregationRule.clusterRoleSelectors';
  if (selectors.length === 0) {
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  if (selectors.length > maxSelectors) return [...errors, tooMany(path, selectors.length, maxSelectors)];
  for (const [index, selector] of selectors.entries()) {
    const found = labelSelectorErrors(selector, indexPath(path, index));
    errors.push(...found);
    if (found.length > 0) errors.push(invalid(indexPath(path, index), null, 'invalid label selector.'));
  }
  return errors;
}

function ruleErrors(rule: Partial<PolicyRule>, path: string, isNamespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (verbs.length === 0) errors.push(required(childPath(path, 'verbs'), 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const refuse = (detail: string) =>
      errors.push(invalid(childPath(path, 'nonResourceURLs'), nonResourceURLs, detail));
    if (isNamespaced) refuse('namespaced rules cannot apply to non-resource URLs');
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      refuse('rules cannot apply to both regular resources and non-resource URLs');
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(required(childPath(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(required(childPath(path, 'resources'), 'resource rules must supply at least one resource'));
  }
  return errors;
}
