import { goQuote } from '@flotilla/go-text';
import { equalJson, type JsonObject, type JsonValue, listAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { roleRefOf } from '../../api/rbac/binding.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { type PolicyRule, rbacGroup, rulesOf } from '../../api/rbac/policy-rule.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, notFound } from '../../api/status.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Draft, StoredResource } from '../../registry/resource.ts';
import { describeMissingRoles, isSystemMaster, rulesOfUser } from './rbac-authorizer.ts';
import { isMissingRole, type RbacPolicy } from './rbac-policy.ts';
import { describePermissions, quotedList, uncoveredPermissions } from './uncovered-permissions.ts';

/** Returns the RBAC policy of the plane. It is a function because the plane parts are created before the policy. */
export type RbacPolicyGetter = () => RbacPolicy;

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Refuses to write a role with permissions that the caller does not have, unless the caller has the permission
 * `escalate`. The rules of an aggregated role can change later, so a caller who writes an aggregated role needs all
 * permissions.
 */
export async function refuseRoleEscalation(
  resource: StoredResource,
  draft: Draft,
  context: RequestContext,
  policy: RbacPolicyGetter,
): Promise<void> {
  if (mayGrantAnything(context) || changesOwnersOnly(draft)) return;
  const name = draft.object.metadata.name ?? '';
  const namespace = resource.namespaced ? context.namespace : '';
  // As in Kubernetes, the name is taken from the URL. The URL of a POST has no name, so rules with `resourceNames` do
  // not apply to it.
  const attributes = { group: rbacGroup, resource: resource.plural, namespace, name: context.pathName ?? '' };
  if (await context.may({ verb: 'escalate', ...attributes })) return;
  const refuse = (detail: string) => forbidden(groupResourceOf(resource), name, detail);
  // Rules without verbs grant nothing. The validation, which runs later, reports them.
  const wanted = rulesOf(draft.object).filter(({ verbs }: Partial<PolicyRule>) => verbs !== undefined);
  const missingText = missingPermissions(resource, policy(), context, wanted);
  if (missingText !== undefined) throw refuse(missingText);
  if (!aggregates(draft.object) && !(draft.old !== undefined && aggregates(draft.old.object))) return;
  if (missingPermissions(resource, policy(), context, everything) === undefined) return;
  throw refuse('must have cluster-admin privileges to use the aggregationRule');
}

/**
 * Refuses to bind a role with permissions that the caller does not have, unless the caller has the permission `bind`
 * for the role.
 */
export async function refuseBindingEscalation(
  resource: StoredResource,
  draft: Draft,
  context: RequestContext,
  policy: RbacPolicyGetter,
): Promise<void> {
  if (mayGrantAnything(context) || changesOwnersOnly(draft)) return;
  const role = roleRefOf(draft.object);
  const kind = [roleKind, clusterRoleKind].find((one) => one.kind === role.kind);
  // Do not check other kinds of roles here: the validation, which runs later, rejects them.
  if (kind === undefined) return;
  const namespace = resource.namespaced ? context.namespace : '';
  const attributes = { group: role.apiGroup ?? '', resource: kind.plural, namespace, name: role.name };
  if (await context.may({ verb: 'bind', ...attributes })) return;
  const rules = policy().rulesOf({ role, namespace });
  // As in Kubernetes, the error names the resource of the binding, not the resource of the role.
  if (isMissingRole(rules)) throw notFound(groupResourceOf(resource), rules.name);
  const missingText = missingPermissions(resource, policy(), context, rules);
  if (missingText !== undefined)
    throw forbidden(groupResourceOf(resource), draft.object.metadata.name ?? '', missingText);
}

function mayGrantAnything({ system, user }: RequestContext): boolean {
  return system || isSystemMaster(user);
}

function missingPermissions(
  resource: StoredResource,
  policy: RbacPolicy,
  { user, namespace }: RequestContext,
  wanted: readonly PolicyRule[],
): string | undefined {
  const { rules, missing } = rulesOfUser(policy, user, resource.namespaced ? namespace : '');
  const uncoveredRules = uncoveredPermissions(rules, wanted);
  if (uncoveredRules.length === 0) return undefined;
  const who = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${describePermissions(uncoveredRules)}`;
  return missing.length === 0
    ? text
    : `${text}; resolution errors: [${describeMissingRoles(missing, resource.plural)}]`;
}

function aggregates(role: KubeObject): boolean {
  return listAt(role as JsonValue, 'aggregationRule', 'clusterRoleSelectors').length > 0;
}

/**
 * True if the write changes only owner references and finalizers. The garbage collector makes such writes even to roles
 * with permissions that it does not have.
 */
function changesOwnersOnly({ object, old }: Draft): boolean {
  return old !== undefined && equalJson(withoutOwners(object), withoutOwners(old.object));
}

function withoutOwners(object: KubeObject): JsonObject {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, ...metadata } = object.metadata;
  return { ...object, metadata } as JsonObject;
}
