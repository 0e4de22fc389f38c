import { type JsonObject, objectAt, textAt } from '@flotilla/json';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import type { Project } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { auditorsGroup } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { accessListGrants, reading } from './access-list.ts';
import type { AccessState } from './access-state.ts';
import { readsActivityRecord } from './activity-readers.ts';
import type { Caller } from './caller.ts';
import type { GuardedObject } from './guarded-object.ts';
import { owns } from './owns.ts';
import { principalsOf, teamPrincipal, userPrincipal } from './principals.ts';
import {
  allowsCluster,
  allowsSpaceTemplate,
  allowsTemplate,
  hasRole,
  isMember,
  teamHasRole,
} from './project-grants.ts';
import { readsProject } from './reads-project.ts';

/** The input of a relation check: the caller, the access state, and the object that the request addresses. */
export interface RelationContext {
  readonly caller: Caller;
  readonly state: AccessState;
  /** The namespace that the request addresses. '' for all namespaces and for cluster-scoped kinds. */
  readonly namespace: string;
  /** The addressed object. Absent if the request does not name an object, or the object does not exist. */
  readonly object?: GuardedObject | undefined;
  /** The project that contains the addressed object. For a project, the project itself. */
  readonly project?: Project | undefined;
}

interface RelationRule {
  /** The reason in the decision if this relation allows the request. */
  readonly reason: string;
  holds(context: RelationContext): boolean;
}

/** The relations between a caller and an object that the permission table refers to (completions §8). */
export const relations = {
  anyCaller: { reason: 'allowed for every authenticated caller', holds: () => true },
  auditor: { reason: `member of the group ${auditorsGroup}`, holds: ({ caller }) => caller.isAuditor },
  selfService: {
    reason: 'self-service creation of projects is enabled',
    // Only users and teams may create projects, because the creator is stored as a member of the project.
    holds: ({ caller, state }) => state.selfService && (caller.user !== undefined || caller.team !== undefined),
  },
  projectAdmin: {
    reason: 'admin of the project',
    holds: ({ caller, project }) => hasRole(caller, project, 'admin'),
  },
  projectUser: {
    reason: 'user of the project',
    holds: ({ caller, project }) => hasRole(caller, project, 'user'),
  },
  owningProjectUser: {
    reason: 'user of the project and owner of the object',
    holds({ caller, project, object }) {
      if (object === undefined || !owns(caller, object)) return false;
      const { user = '', team = '' } = object.spec?.owner ?? {};
      // If the object belongs to a team, the team itself needs the role. When the team loses its role, the members of
      // the team must lose access to the objects of the team.
      return user === '' ? teamHasRole(team, project, 'user') : hasRole(caller, project, 'user');
    },
  },
  projectViewer: {
    reason: 'viewer of the project',
    holds: ({ caller, project }) => hasRole(caller, project, 'viewer'),
  },
  projectReader: { reason: 'may read the project', holds: readsProject },
  allNamespaces: {
    reason: 'allowed for every authenticated caller; the response contains what the caller may read',
    holds: ({ namespace }) => namespace === '',
  },
  projectParticipant: {
    reason: 'the caller has access to objects in the project; the response contains what the caller may read',
    holds: (context) =>
      context.namespace !== '' &&
      (isMember(context.caller, context.project) ||
        (context.project !== undefined && owns(context.caller, context.project)) ||
        principalsOf(context.caller).some((one) => context.state.hasReadableInstance(context.namespace, one))),
  },
  owner: { reason: 'owner of the object', holds: ({ caller, object }) => object !== undefined && owns(caller, object) },
  self: {
    reason: 'the caller is this user',
    holds: ({ caller, object }) => object !== undefined && caller.user === object.metadata.name,
  },
  teamMember: {
    reason: 'the caller is a member of this team',
    holds: ({ caller, object }) => object !== undefined && caller.teams.includes(object.metadata.name ?? ''),
  },
  sharesProjectWithUser: {
    reason: 'the user is a member of a project of the caller',
    holds: ({ caller, state, object }) => {
      if (object === undefined) return false;
      const name = object.metadata.name ?? '';
      return sharesProject(caller, [userPrincipal(name), ...state.teamsOf(name).map(teamPrincipal)], state);
    },
  },
  sharesProjectWithTeam: {
    reason: 'the team is a member of a project of the caller',
    holds: ({ caller, state, object }) =>
      object !== undefined && sharesProject(caller, [teamPrincipal(object.metadata.name ?? '')], state),
  },
  allowedCluster: {
    reason: 'the cluster is allowed in a project of the caller',
    holds: (context) => allowedInOwnProject(context, allowsCluster),
  },
  allowedTemplate: {
    reason: 'the template is allowed in a project of the caller',
    holds: (context) => allowedInOwnProject(context, allowsTemplate),
  },
  allowedSpaceTemplate: {
    reason: 'the template is allowed in a project of the caller',
    holds: (context) => allowedInOwnProject(context, allowsSpaceTemplate),
  },
  involvedObjectReader: {
    reason: 'the caller may read the object that the event is about',
    holds: readsInvolvedObject,
  },
  projectEventReader: {
    reason: 'admin of the project',
    // Excludes events about access keys of users. Such a key is not part of the project, although its events are in the
    // namespace of the project.
    holds: ({ caller, state, project, object }) =>
      object !== undefined && hasRole(caller, project, 'admin') && !isAboutKeyOfUser(object, state),
  },
  activityReader: {
    reason: 'the caller may read the object that the record is about',
    holds: readsActivityRecord,
  },
} as const satisfies Record<string, RelationRule>;

export type Relation = keyof typeof relations;

/** True if one of `others` is a member of a project of the caller. Iterates over the shorter list of projects. */
function sharesProject(caller: Caller, others: readonly string[], state: AccessState): boolean {
  const theirs = others.map((one) => state.projectsOf(one));
  const own = principalsOf(caller).map((one) => state.projectsOf(one));
  const sizeOf = (sets: readonly ReadonlySet<string>[]) => sets.reduce((sum, set) => sum + set.size, 0);
  const [few, many] = sizeOf(theirs) <= sizeOf(own) ? [theirs, own] : [own, theirs];
  return few.some((set) => {
    for (const project of set) if (many.some((other) => other.has(project))) return true;
    return false;
  });
}

function allowedInOwnProject(
  { caller, state, object }: RelationContext,
  allows: (project: Project, name: string) => boolean,
): boolean {
  if (object === undefined) return false;
  const name = object.metadata.name ?? '';
  return principalsOf(caller).some((principal) => {
    for (const each of state.projectsOf(principal)) {
      const project = state.project(each);
      if (project !== undefined && allows(project, name)) return true;
    }
    return false;
  });
}

const managementVersion = apiVersionOf(virtualClusterInstanceKind);

type FindInvolved = (state: AccessState, namespace: string, name: string) => GuardedObject | undefined;

/** The kinds of namespaced objects whose readers may also read the events about the object. */
const involvedKinds: readonly { kind: ResourceKind; find: FindInvolved }[] = [
  { kind: virtualClusterInstanceKind, find: (state, namespace, name) => state.instance(namespace, name) },
  { kind: spaceInstanceKind, find: (state, namespace, name) => state.space(namespace, name) },
];

/**
 * Returns the reference to the object that an event is about. `undefined` if that object is not of this kind of the
 * management API.
 */
function subjectOf(event: GuardedObject | undefined, { kind }: ResourceKind): JsonObject | undefined {
  const subject = objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding');
  if (subject === undefined || textAt(subject, 'kind') !== kind) return undefined;
  return textAt(subject, 'apiVersion') === managementVersion ? subject : undefined;
}

/**
 * Returns `found` if it is the object of the event, and `undefined` otherwise. The UID distinguishes the object from a
 * later object with the same name.
 */
function sameObject<Found extends KubeObject>(subject: JsonObject, found: Found | undefined): Found | undefined {
  const uid = textAt(subject, 'uid');
  return uid === '' || uid === found?.metadata.uid ? found : undefined;
}

/** True if the caller may read the object of an event: an instance, or an access key of the caller or of a team. */
function readsInvolvedObject({ caller, state, namespace, object: event }: RelationContext): boolean {
  for (const { kind, find } of involvedKinds) {
    const about = subjectOf(event, kind);
    if (about === undefined || textAt(about, 'namespace') !== namespace) continue;
    const instance = sameObject(about, find(state, namespace, textAt(about, 'name')));
    return instance !== undefined && (owns(caller, instance) || accessListGrants(caller, instance, reading));
  }
  const { user = '', team = '' } = keyOfEvent(event, state)?.spec ?? {};
  return (user !== '' && user === caller.user) || (team !== '' && caller.teams.includes(team));
}

function keyOfEvent(event: GuardedObject | undefined, state: AccessState): AccessKey | undefined {
  const about = subjectOf(event, accessKeyKind);
  return about && sameObject(about, state.accessKey(textAt(about, 'name')));
}

/** True if an event is about an access key that belongs to no team. A deleted key counts as a key without a team. */
function isAboutKeyOfUser(event: GuardedObject | undefined, state: AccessState): boolean {
  if (subjectOf(event, accessKeyKind) === undefined) return false;
  return (keyOfEvent(event, state)?.spec?.team ?? '') === '';
}
