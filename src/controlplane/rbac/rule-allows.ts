import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import type { Attributes, ResourceAttributes } from '../../auth/authz/attributes.ts';

/** Whether this rule by itself allows that. */
export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!holds(rule.verbs, asked.verb)) return false;
  if (!asked.resourceRequest) return (rule.nonResourceURLs ?? []).some((url) => pathCovers(url, asked.path));
  return (
    holds(rule.apiGroups, asked.group) &&
    resourceFits(rule.resources, asked) &&
    nameFits(rule.resourceNames, asked.name)
  );
}

function holds(allowed: readonly string[] | undefined, wanted: string): boolean {
  return allowed !== undefined && (allowed.includes(wanted) || allowed.includes('*'));
}

/** `configmaps`, `configmaps/status`, `*` for everything and `*` with `/status` for that part of everything. */
function resourceFits(
  resources: readonly string[] | undefined,
  { resource, subresource }: ResourceAttributes,
): boolean {
  if (subresource === '') return holds(resources, resource);
  return holds(resources, `${resource}/${subresource}`) || (resources?.includes(`*/${subresource}`) ?? false);
}

function nameFits(names: readonly string[] | undefined, wanted: string): boolean {
  return names === undefined || names.length === 0 || names.includes(wanted);
}

/** A `*` at the end stands for whatever follows; also used to ask whether one such path covers another. */
export function pathCovers(allowed: string, wanted: string): boolean {
  if (allowed === wanted) return true;
  return allowed.endsWith('*') && wanted.startsWith(allowed.replace(/\*+$/, ''));
}
