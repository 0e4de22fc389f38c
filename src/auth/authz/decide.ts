import { clusterKind } from '../../api/management/v1/cluster.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { adminsGroup, clusterOfAgent, projectNamespace } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { givenByAccess, readVerbs } from './access-list.ts';
import type { AccessState } from './access-state.ts';
import type { Attributes, Decision, RequestTarget, ResourceAttributes } from './attributes.ts';
import { callerOf } from './caller.ts';
import { type GuardedKind, guardedKind } from './guarded-kinds.ts';
import { type Relation, relations, type Standing } from './relations.ts';
import { matchesPath, openPaths, openPathVerbs, type Right } from './rights-table.ts';
import { scopeAllows } from './scope-reach.ts';
import { isAdmin, type Subject } from './subject.ts';

const bySystem = allow("the server's own code");
const byAdmin = allow(`member of the group ${adminsGroup}`);
const byAccess = allow("named in the object's access");
const byPath = allow('allowed to everybody with a valid key');
const byAbsence = allow('there is no such object, and the caller may make it');
const onStatus = refuse("status is written by the server's own controllers only");
const byNothing = refuse('no role, ownership or access entry gives this right');
const onAgent = refuse('the agent of a cluster has paths of its own, and no other right');
const withoutName = refuse('this right depends on the object: ask for one by name');
const outOfScope = refuse('outside of the scope of the access key');

/**
 * Who may do what: requests, lists, watches, admission and reviews all ask here. Pure: the same question in the same
 * state has the same answer. What nothing allows is refused.
 */
export function decide(subject: Subject, attributes: Attributes, state: AccessState): Decision {
  if (subject.system) return bySystem;
  if (writesStatus(attributes)) return onStatus;
  const decision = decideForUser(subject.user, attributes, state);
  if (!decision.allowed || subject.scopes.length === 0) return decision;
  const scopes = subject.scopes.map((scope) => scope.text);
  if (!subject.scopes.every((scope) => scopeAllows(scope, attributes, state))) return { ...outOfScope, scopes };
  return { allowed: true, reason: `${decision.reason}; within the scope of the access key`, scopes };
}

/** The user's own rights, whatever narrows the credential. */
function decideForUser(user: UserInfo, attributes: Attributes, state: AccessState): Decision {
  if (isAdmin(user)) return byAdmin;
  if (clusterOfAgent(user.name) !== undefined) return onAgent;
  const { target } = attributes;
  if (target !== undefined && target.type !== 'Management') return decideResource(user, asUse(target), state);
  if (attributes.resourceRequest) return decideResource(user, attributes, state);
  const isOpen =
    openPathVerbs.includes(attributes.verb) && openPaths.some((each) => matchesPath(each, attributes.path));
  return isOpen ? byPath : byNothing;
}

/** Who may use a cluster gets through to it; what they may do in there is for it to say. */
function asUse(target: Exclude<RequestTarget, { type: 'Management' }>): ResourceAttributes {
  const place =
    target.type === 'Cluster'
      ? { kind: clusterKind, namespace: '', name: target.cluster }
      : {
          kind: virtualClusterInstanceKind,
          namespace: projectNamespace(target.project),
          name: target.virtualCluster,
        };
  const { group, version, plural } = place.kind;
  const { namespace, name } = place;
  return { resourceRequest: true, verb: 'use', group, version, resource: plural, subresource: '', namespace, name };
}

function decideResource(user: UserInfo, asked: ResourceAttributes, state: AccessState): Decision {
  const kind = guardedKind(asked.group, asked.resource);
  const right = kind?.right(asked.subresource, asked.verb);
  if (kind === undefined || right === undefined) return byNothing;
  const { namespace, name } = asked;
  const standing: Standing = {
    caller: callerOf(user),
    state,
    namespace,
    object: name === '' ? undefined : kind.find?.(state, namespace, name),
    project: kind.project?.(state, namespace, name),
  };
  const relation = right.to.find((each) => relations[each].holds(standing));
  if (relation !== undefined) return byRelation[relation];
  if (isGivenByAccess(right, standing, asked)) return byAccess;
  if (couldBeMade(kind, standing, asked)) return byAbsence;
  return name === '' && kind.find !== undefined && !isOfTheKind(asked) ? withoutName : byNothing;
}

const ofTheKind: ReadonlySet<string> = new Set(['create', 'list', 'watch']);

/** Such a request has no name to come with: who is refused it cannot ask for it in another way. */
function isOfTheKind({ verb, subresource }: ResourceAttributes): boolean {
  return subresource === '' && ofTheKind.has(verb);
}

export function isGivenByAccess(
  right: Right,
  { caller, object }: Standing,
  { verb, subresource }: Pick<ResourceAttributes, 'verb' | 'subresource'>,
): boolean {
  if (object === undefined || right.access === undefined) return false;
  return givenByAccess(caller, object, { verb, subresource, through: right.access });
}

const named: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/**
 * Whoever may create an object of that name learns that it is not there (404, and an apply creates it), as from the
 * create itself. To everybody else what is not there is like what is not theirs.
 */
function couldBeMade(kind: GuardedKind, standing: Standing, { verb, subresource, name }: ResourceAttributes): boolean {
  if (name === '' || subresource !== '' || standing.object !== undefined || !named.has(verb)) return false;
  return kind.right('', 'create')?.to.some((each) => relations[each].holds(standing)) ?? false;
}

function writesStatus(attributes: Attributes): boolean {
  if (!attributes.resourceRequest || attributes.subresource !== 'status') return false;
  return (attributes.target?.type ?? 'Management') === 'Management' && !readVerbs.includes(attributes.verb);
}

const byRelation = Object.fromEntries(
  Object.entries(relations).map(([name, { reason }]) => [name, allow(reason)]),
) as Readonly<Record<Relation, Decision>>;

function allow(reason: string): Decision {
  return { allowed: true, reason };
}

function refuse(reason: string): Decision {
  return { allowed: false, reason };
}
