import { goQuote } from '@flotilla/go-text';
import { kubernetesMastersGroup } from '../../api/naming.ts';
import type { Subject } from '../../api/rbac/binding.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import type { PolicyRule } from '../../api/rbac/policy-rule.ts';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import type { ReviewRules } from '../core/reviews.ts';
import { isMissingRole, type MissingRole, type RbacPolicy } from './rbac-policy.ts';
import { matchingSubject, type RoleGrant } from './role-grant-index.ts';
import { ruleAllows } from './rule-allows.ts';

/** The subject of a decision. `system` is true for the server's own code, which has all permissions. */
export interface RbacSubject {
  readonly user: UserInfo;
  readonly system: boolean;
}

export interface RbacAuthorizer {
  authorize(subject: RbacSubject, attributes: Attributes): Decision;
  /** Returns the permissions of a subject in a namespace as rules, for SelfSubjectRulesReview. */
  rules(subject: RbacSubject, namespace: string): ReviewRules;
}

/** Decides like Kubernetes' RBAC: a request is allowed if a role that is bound to the caller allows it. */
export function rbacAuthorizer(policy: RbacPolicy): RbacAuthorizer {
  return {
    authorize: ({ user, system }, attributes) =>
      system || isSystemMaster(user) ? allowedAsMaster : decide(policy, user, attributes),
    rules({ user }, namespace) {
      const { rules, missing, incomplete } = reviewedRules(policy, user, namespace);
      return {
        resourceRules: rules
          .filter(({ resources = [] }) => resources.length > 0)
          .map(({ nonResourceURLs: _, ...rule }) => rule),
        nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
          nonResourceURLs.length > 0 ? [{ verbs, nonResourceURLs }] : [],
        ),
        incomplete,
        ...(missing.length === 0 ? {} : { evaluationError: describeMissingRoles(missing) }),
      };
    },
  };
}

/** The maximum number of rules in a SelfSubjectRulesReview. Further rules are omitted, and `incomplete` is true. */
const maxReviewedRules = 20_000;

/**
 * Returns the rules of a review. As in Kubernetes, it contains the rules of every binding, so some rules appear
 * repeatedly.
 */
function reviewedRules(policy: RbacPolicy, user: UserInfo, namespace: string) {
  const rules: PolicyRule[] = [];
  const missing: MissingRole[] = [];
  for (const grant of policy.grantsOf(user, namespace)) {
    const granted = policy.rulesOf(grant);
    if (isMissingRole(granted)) {
      missing.push(granted);
      continue;
    }
    for (const rule of granted) {
      if (rules.length === maxReviewedRules) return { rules, missing, incomplete: true };
      rules.push(rule);
    }
  }
  return { rules, missing, incomplete: false };
}

const allowedAsMaster: Decision = { allowed: true, reason: '' };

/** True for members of system:masters. These users have all permissions, so they can repair broken roles. */
export function isSystemMaster({ groups }: UserInfo): boolean {
  return groups.includes(kubernetesMastersGroup);
}

function decide(policy: RbacPolicy, user: UserInfo, attributes: Attributes): Decision {
  const missing: MissingRole[] = [];
  // Each role is checked only once: thousands of bindings may refer to one role, which may have thousands of rules.
  const checked = new Set<readonly PolicyRule[]>();
  for (const grant of policy.grantsOf(user, attributes.resourceRequest ? attributes.namespace : '')) {
    const rules = policy.rulesOf(grant);
    if (isMissingRole(rules)) {
      missing.push(rules);
      continue;
    }
    if (checked.has(rules)) continue;
    checked.add(rules);
    if (rules.some((rule) => ruleAllows(rule, attributes))) {
      return { allowed: true, reason: `RBAC: allowed by ${describeGrant(grant, user)}` };
    }
  }
  return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${describeMissingRoles(missing)}` };
}

/**
 * Returns the rules of all roles that are bound to a user, and the bound roles that do not exist. The rules of each
 * role are returned once.
 */
export function rulesOfUser(
  policy: RbacPolicy,
  user: UserInfo,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly missing: readonly MissingRole[] } {
  const roles = new Set<readonly PolicyRule[]>();
  const missing: MissingRole[] = [];
  for (const grant of policy.grantsOf(user, namespace)) {
    const granted = policy.rulesOf(grant);
    if (isMissingRole(granted)) missing.push(granted);
    else roles.add(granted);
  }
  return { rules: [...roles].flat(), missing };
}

function describeGrant(grant: RoleGrant, user: UserInfo): string {
  const { name, namespace, role } = grant;
  const binding =
    namespace === ''
      ? `${clusterRoleBindingKind.kind} ${goQuote(name)}`
      : `${roleBindingKind.kind} ${goQuote(`${name}/${namespace}`)}`;
  const subject = matchingSubject(grant, user);
  const to = subject === undefined ? '' : describeSubject(subject, namespace);
  return `${binding} of ${role.kind} ${goQuote(role.name)} to ${to}`;
}

function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  if (kind !== 'ServiceAccount') return `${kind} ${goQuote(name)}`;
  return `${kind} ${goQuote(`${name}/${namespace === undefined || namespace === '' ? bindingNamespace : namespace}`)}`;
}

/** The maximum number of missing roles that the reason of a decision names. Every refusal contains the reason. */
const maxNamedRoles = 100;

/**
 * Formats the missing roles of bindings, without duplicates. Two or more are enclosed in brackets. If `resourceName` is
 * set, it replaces the role's kind, as in some messages of Kubernetes.
 */
export function describeMissingRoles(missing: readonly MissingRole[], resourceName?: string): string {
  const unique = new Set<string>();
  for (const { kind, name } of missing) {
    if (unique.size >= maxNamedRoles) return `[${[...unique].join(', ')}, …]`;
    unique.add(`${resourceName ?? kind.singular}.${kind.group} ${goQuote(name)} not found`);
  }
  const texts = [...unique];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
