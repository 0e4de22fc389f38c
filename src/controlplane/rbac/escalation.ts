import type { KubeObject } from '../../api/meta.ts';
import { roleRefOf } from '../../api/rbac/binding.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { type PolicyRule, rbacGroup, rulesOf } from '../../api/rbac/policy-rule.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, notFound } from '../../api/status.ts';
import { goQuote } from '../../lib/go-quote.ts';
import { listAt } from '../../lib/json-path.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Draft, StoredResource } from '../../registry/resource.ts';
import { describeRights, quotedList, uncovered } from './covers.ts';
import { isMissing, type Policy } from './policy.ts';
import { allRules, describeMissing, isMaster } from './rbac-authorizer.ts';

/** Asked at the time of a write: parts are made before the plane whose policy this is. */
export type PolicyNow = () => Policy;

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Nobody writes a role that allows more than they may themselves, unless they may `escalate` it. Rules that follow
 * other roles can come to anything, so that takes everything.
 */
export async function refuseEscalation(
  resource: StoredResource,
  draft: Draft,
  context: RequestContext,
  policy: PolicyNow,
): Promise<void> {
  if (mayGrantAnything(context) || changesOwnersOnly(draft)) return;
  const name = draft.object.metadata.name ?? '';
  const namespace = resource.namespaced ? context.namespace : '';
  // Of the path: whoever makes one by a POST names it in the body alone, and a right to some names does not reach it.
  const asked = { group: rbacGroup, resource: resource.plural, namespace, name: context.pathName ?? '' };
  if (await context.may({ verb: 'escalate', ...asked })) return;
  const refuse = (detail: string) => forbidden(groupResourceOf(resource), name, detail);
  // Whether a rule without verbs will do is for validation to say; it allows nothing.
  const wanted = rulesOf(draft.object).filter(({ verbs }: Partial<PolicyRule>) => verbs !== undefined);
  const lacking = lackedRights(resource, policy(), context, wanted);
  if (lacking !== undefined) throw refuse(lacking);
  if (!aggregates(draft.object) && !(draft.old !== undefined && aggregates(draft.old.object))) return;
  if (lackedRights(resource, policy(), context, everything) === undefined) return;
  throw refuse('must have cluster-admin privileges to use the aggregationRule');
}

/** Nobody gives a role that allows more than they may themselves, unless they may `bind` it. */
export async function refuseForeignRole(
  resource: StoredResource,
  draft: Draft,
  context: RequestContext,
  policy: PolicyNow,
): Promise<void> {
  if (mayGrantAnything(context) || changesOwnersOnly(draft)) return;
  const role = roleRefOf(draft.object);
  const kind = [roleKind, clusterRoleKind].find((one) => one.kind === role.kind);
  // Validation has the words for this.
  if (kind === undefined) return;
  const namespace = resource.namespaced ? context.namespace : '';
  const asked = { group: role.apiGroup ?? '', resource: kind.plural, namespace, name: role.name };
  if (await context.may({ verb: 'bind', ...asked })) return;
  const rules = policy().rulesOf({ role, namespace });
  // Kubernetes names the kind that is written here, not that of the role.
  if (isMissing(rules)) throw notFound(groupResourceOf(resource), rules.name);
  const lacking = lackedRights(resource, policy(), context, rules);
  if (lacking !== undefined) throw forbidden(groupResourceOf(resource), draft.object.metadata.name ?? '', lacking);
}

function mayGrantAnything({ system, user }: RequestContext): boolean {
  return system || isMaster(user);
}

function lackedRights(
  resource: StoredResource,
  policy: Policy,
  { user, namespace }: RequestContext,
  wanted: readonly PolicyRule[],
): string | undefined {
  const { rules, missing } = allRules(policy, user, resource.namespaced ? namespace : '');
  const lacked = uncovered(rules, wanted);
  if (lacked.length === 0) return undefined;
  const who = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${describeRights(lacked)}`;
  return missing.length === 0 ? text : `${text}; resolution errors: [${describeMissing(missing, resource.plural)}]`;
}

function aggregates(role: KubeObject): boolean {
  return listAt(role as JsonValue, 'aggregationRule', 'clusterRoleSelectors').length > 0;
}

/** Garbage collection takes owners and finalizers off of what it could not write itself. */
function changesOwnersOnly({ object, old }: Draft): boolean {
  return old !== undefined && equalJson(withoutOwners(object), withoutOwners(old.object));
}

function withoutOwners(object: KubeObject): JsonObject {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, ...metadata } = object.metadata;
  return { ...object, metadata } as JsonObject;
}
