import { clusterKind } from '../../api/management/v1/cluster.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { adminsGroup, clusterOfAgentUser, projectNamespace } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { accessListGrants } from './access-list.ts';
import type { AccessState } from './access-state.ts';
import type { Attributes, Decision, RequestTarget, ResourceAttributes } from './attributes.ts';
import { callerOf } from './caller.ts';
import { type GuardedKind, guardedKind } from './guarded-kinds.ts';
import { auditorPaths, matchesPath, openPaths, openPathVerbs, type Permission } from './permission-table.ts';
import { type Relation, type RelationContext, relations } from './relations.ts';
import { scopeAllows } from './scope-allows.ts';
import { type AuthorizationSubject, isAdmin } from './subject.ts';

const allowSystem = allow("the server's own code");
const allowAdmin = allow(`member of the group ${adminsGroup}`);
const allowByAccess = allow("named in the object's access");
const allowPath = allow('allowed for every authenticated caller');
const allowMissing = allow('the object does not exist and the caller may create it');
const denyByDefault = deny('no role, ownership or access entry grants this permission');
const denyAgent = deny('cluster agents may use only their own paths');
const denyWithoutName = deny('this permission depends on the object; request an object by name');
const denyOutOfScope = deny('outside of the scope of the access key');

/**
 * The authorizer of the management API. Requests, lists, watches, admission and access reviews use this function. It
 * denies everything that no rule allows. Its result depends only on its arguments.
 */
export function decide(subject: AuthorizationSubject, attributes: Attributes, state: AccessState): Decision {
  if (subject.system) return allowSystem;
  const decision = decideForUser(subject.user, attributes, state);
  if (!decision.allowed || subject.scopes.length === 0) return decision;
  const scopes = subject.scopes.map((scope) => scope.text);
  if (!subject.scopes.every((scope) => scopeAllows(scope, attributes, state))) return { ...denyOutOfScope, scopes };
  return { allowed: true, reason: `${decision.reason}; within the scope of the access key`, scopes };
}

/** Decides by the permissions of the user, without the scopes of the credential. */
function decideForUser(user: UserInfo, attributes: Attributes, state: AccessState): Decision {
  if (isAdmin(user)) return allowAdmin;
  if (clusterOfAgentUser(user.name) !== undefined) return denyAgent;
  const { target } = attributes;
  if (target !== undefined && target.type !== 'Management') return decideResource(user, asUse(target), state);
  if (attributes.resourceRequest) return decideResource(user, attributes, state);
  const { verb, path } = attributes;
  if (!openPathVerbs.includes(verb)) return denyByDefault;
  if (openPaths.some((each) => matchesPath(each, path))) return allowPath;
  return callerOf(user).isAuditor && auditorPaths.some((each) => matchesPath(each, path))
    ? byRelation.auditor
    : denyByDefault;
}

/**
 * Converts a request for a cluster behind the gateway to a request for the verb `use` on the Cluster object. In
 * addition, the cluster itself authorizes the original request.
 */
function asUse(target: Exclude<RequestTarget, { type: 'Management' }>): ResourceAttributes {
  const { kind, namespace, name } = locationOf(target);
  const { group, version, plural } = kind;
  return { resourceRequest: true, verb: 'use', group, version, resource: plural, subresource: '', namespace, name };
}

function locationOf(target: Exclude<RequestTarget, { type: 'Management' }>) {
  switch (target.type) {
    case 'Cluster':
      return { kind: clusterKind, namespace: '', name: target.cluster };
    case 'ProjectVirtualCluster':
      return {
        kind: virtualClusterInstanceKind,
        namespace: projectNamespace(target.project),
        name: target.virtualCluster,
      };
    case 'ProjectSpace':
      return { kind: spaceInstanceKind, namespace: projectNamespace(target.project), name: target.space };
  }
}

function decideResource(user: UserInfo, attributes: ResourceAttributes, state: AccessState): Decision {
  const kind = guardedKind(attributes.group, attributes.resource);
  const permission = kind?.permissionFor(attributes.subresource, attributes.verb);
  if (kind === undefined || permission === undefined) return denyByDefault;
  const { namespace, name } = attributes;
  const context: RelationContext = {
    caller: callerOf(user),
    state,
    namespace,
    object: name === '' ? undefined : kind.find?.(state, namespace, name),
    project: kind.project?.(state, namespace, name),
  };
  const relation = permission.grantedTo.find((each) => relations[each].holds(context));
  if (relation !== undefined) return byRelation[relation];
  if (isGrantedByAccessList(permission, context, attributes)) return allowByAccess;
  if (mayCreateMissing(kind, context, attributes)) return allowMissing;
  return name === '' && kind.find !== undefined && !isKindRequest(attributes) ? denyWithoutName : denyByDefault;
}

const kindVerbs: ReadonlySet<string> = new Set(['create', 'list', 'watch']);

/**
 * True if the request addresses a whole kind. The advice in `denyWithoutName`, to request an object by name, does not
 * apply to such a request.
 */
function isKindRequest({ verb, subresource }: ResourceAttributes): boolean {
  return subresource === '' && kindVerbs.has(verb);
}

export function isGrantedByAccessList(
  permission: Permission,
  { caller, object }: RelationContext,
  { verb, subresource }: Pick<ResourceAttributes, 'verb' | 'subresource'>,
): boolean {
  if (object === undefined || permission.accessVerbs === undefined) return false;
  return accessListGrants(caller, object, { verb, subresource, impliedBy: permission.accessVerbs });
}

const named: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/**
 * True if the object does not exist and the caller may create it. The request is then allowed: the caller gets 404, or
 * creates the object with an apply. This reveals no more than a create request would reveal. For all other callers, a
 * missing object and an inaccessible object look alike.
 */
function mayCreateMissing(
  kind: GuardedKind,
  context: RelationContext,
  { verb, subresource, name }: ResourceAttributes,
): boolean {
  if (name === '' || subresource !== '' || context.object !== undefined || !named.has(verb)) return false;
  return kind.permissionFor('', 'create')?.grantedTo.some((each) => relations[each].holds(context)) ?? false;
}

const byRelation = Object.fromEntries(
  Object.entries(relations).map(([name, { reason }]) => [name, allow(reason)]),
) as Readonly<Record<Relation, Decision>>;

function allow(reason: string): Decision {
  return { allowed: true, reason };
}

function deny(reason: string): Decision {
  return { allowed: false, reason };
}
