import { objectAt, textAt } from '@flotilla/json';
import type { Project } from '../../api/management/v1/project.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { apiVersionOf } from '../../api/meta.ts';
import { auditorsGroup } from '../../api/naming.ts';
import { accessListGrants, readVerbs } from './access-list.ts';
import type { AccessState } from './access-state.ts';
import type { Caller } from './caller.ts';
import type { GuardedObject } from './guarded-object.ts';
import { principalsOf, teamPrincipal, userPrincipal } from './principals.ts';
import { allowsCluster, allowsTemplate, hasRole, isMember } from './project-grants.ts';

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
    // A caller that is neither a user nor a team could not be stored as a member of the project that it creates.
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
    holds: ({ caller, project, object }) =>
      object !== undefined && owns(caller, object) && hasRole(caller, project, 'user'),
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
  involvedObjectReader: {
    reason: 'the caller may read the object that the event is about',
    holds: readsInvolvedObject,
  },
} as const satisfies Record<string, RelationRule>;

export type Relation = keyof typeof relations;

export function owns(caller: Caller, { spec }: GuardedObject): boolean {
  const { user = '', team = '' } = spec?.owner ?? {};
  if (user !== '') return user === caller.user;
  return team !== '' && caller.teams.includes(team);
}

const reading = { verb: 'get', subresource: '', impliedBy: readVerbs };

function readsProject({ caller, project }: RelationContext): boolean {
  if (project === undefined) return false;
  return isMember(caller, project) || owns(caller, project) || accessListGrants(caller, project, reading);
}

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

const instanceVersion = apiVersionOf(virtualClusterInstanceKind);

/**
 * True if the caller may read the object of an event. The UID distinguishes it from a later object of the same name.
 */
function readsInvolvedObject({ caller, state, namespace, object: event }: RelationContext): boolean {
  const subject = objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding');
  if (subject === undefined || textAt(subject, 'kind') !== virtualClusterInstanceKind.kind) return false;
  if (textAt(subject, 'apiVersion') !== instanceVersion || textAt(subject, 'namespace') !== namespace) return false;
  const instance = state.instance(namespace, textAt(subject, 'name'));
  const uid = textAt(subject, 'uid');
  if (instance === undefined || (uid !== '' && uid !== instance.metadata.uid)) return false;
  return owns(caller, instance) || accessListGrants(caller, instance, reading);
}
