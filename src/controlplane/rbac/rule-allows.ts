import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import type { Attributes, ResourceAttributes } from '../../auth/authz/attributes.ts';
import { withoutStars } from './path-set.ts';

/** True if the rule allows the request. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!holds(rule.verbs, attributes.verb)) return false;
  if (!attributes.resourceRequest) return (rule.nonResourceURLs ?? []).some((url) => pathCovers(url, attributes.path));
  return (
    holds(rule.apiGroups, attributes.group) &&
    resourceFits(rule.resources, attributes) &&
    nameFits(rule.resourceNames, attributes.name)
  );
}

function holds(allowed: readonly string[] | undefined, wanted: string): boolean {
  return allowed !== undefined && (allowed.includes(wanted) || allowed.includes('*'));
}

/**
 * True if a rule's resources include the requested resource. Entries can be `configmaps`, `configmaps/status`, `*` (all
 * resources) or `*` followed by `/status` (the status subresource of all resources).
 */
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

/** True if the path `allowed`, in which a trailing `*` matches any suffix, covers the path `wanted`. */
export function pathCovers(allowed: string, wanted: string): boolean {
  if (allowed === wanted) return true;
  return allowed.endsWith('*') && wanted.startsWith(withoutStars(allowed));
}
