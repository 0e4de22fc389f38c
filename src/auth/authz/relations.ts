import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { objectAt, textAt } from '../../lib/json-path.ts';
import { isJsonObject } from '../../lib/json-value.ts';
import { givenByAccess, readVerbs } from './access-list.ts';
import type { AccessState } from './access-state.ts';
import type { Caller } from './caller.ts';
import { principalsOf, teamPrincipal, userPrincipal } from './principals.ts';
import { allowsCluster, allowsTemplate, hasRole, isMember } from './project-grants.ts';

/** A caller before something: what is known of it when the question is put. */
export interface Standing {
  readonly caller: Caller;
  readonly state: AccessState;
  /** Of the object, or of the collection; '' for all namespaces at once and for what has none. */
  readonly namespace: string;
  /** Absent: no name was given, or there is no object of that name. */
  readonly object?: KubeObject | undefined;
  /** The project itself, or the one that the object or the collection lies in. */
  readonly project?: KubeObject | undefined;
}

interface RelationRule {
  /** What a decision that rests on it says. */
  readonly reason: string;
  holds(standing: Standing): boolean;
}

/** What somebody can be to an object; the table of rights names these (completions §8). */
export const relations = {
  everybody: { reason: 'allowed to everybody with a valid key', holds: () => true },
  selfService: {
    reason: 'everybody may create projects here',
    // A subject that is no user and no team could not be written down as the admin of what it made.
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
  projectViewer: {
    reason: 'viewer of the project',
    holds: ({ caller, project }) => hasRole(caller, project, 'viewer'),
  },
  projectReader: { reason: 'may read the project', holds: readsProject },
  acrossProjects: {
    reason: 'allowed to everybody with a valid key; shows what the caller may read',
    holds: ({ namespace }) => namespace === '',
  },
  somethingHere: {
    reason: 'has something in the project; shows what the caller may read',
    holds: (standing) =>
      standing.namespace !== '' &&
      (isMember(standing.caller, standing.project) ||
        (standing.project !== undefined && owns(standing.caller, standing.project)) ||
        principalsOf(standing.caller).some((one) => standing.state.hasInstance(standing.namespace, one))),
  },
  owner: { reason: 'owner of the object', holds: ({ caller, object }) => object !== undefined && owns(caller, object) },
  self: {
    reason: 'the caller is this user',
    holds: ({ caller, object }) => object !== undefined && caller.user === object.metadata.name,
  },
  ownTeam: {
    reason: 'the caller is in this team',
    holds: ({ caller, object }) => object !== undefined && caller.teams.includes(object.metadata.name ?? ''),
  },
  fellowUser: {
    reason: 'in a project of the caller',
    holds: ({ caller, state, object }) => {
      if (object === undefined) return false;
      const name = object.metadata.name ?? '';
      return meets(caller, [userPrincipal(name), ...state.teamsOf(name).map(teamPrincipal)], state);
    },
  },
  fellowTeam: {
    reason: 'in a project of the caller',
    holds: ({ caller, state, object }) =>
      object !== undefined && meets(caller, [teamPrincipal(object.metadata.name ?? '')], state),
  },
  allowedCluster: {
    reason: 'allowed in a project of the caller',
    holds: (standing) => inOwnProject(standing, allowsCluster),
  },
  allowedTemplate: {
    reason: 'allowed in a project of the caller',
    holds: (standing) => inOwnProject(standing, allowsTemplate),
  },
  readerOfSubject: { reason: 'may read the object that the event is about', holds: readsSubject },
} as const satisfies Record<string, RelationRule>;

export type Relation = keyof typeof relations;

export function owns(caller: Caller, object: KubeObject): boolean {
  const owner = isJsonObject(object.spec) ? object.spec.owner : undefined;
  if (!isJsonObject(owner)) return false;
  const user = textAt(owner, 'user');
  if (user !== '') return user === caller.user;
  const team = textAt(owner, 'team');
  return team !== '' && caller.teams.includes(team);
}

const reading = { verb: 'get', subresource: '', through: readVerbs };

function readsProject({ caller, project }: Standing): boolean {
  if (project === undefined) return false;
  return isMember(caller, project) || owns(caller, project) || givenByAccess(caller, project, reading);
}

/** Somebody who is a member of a project that the caller is a member of. Goes through the shorter list of the two. */
function meets(caller: Caller, others: readonly string[], state: AccessState): boolean {
  const theirs = others.map((one) => state.projectsOf(one));
  const own = principalsOf(caller).map((one) => state.projectsOf(one));
  const sizeOf = (sets: readonly ReadonlySet<string>[]) => sets.reduce((sum, set) => sum + set.size, 0);
  const [few, many] = sizeOf(theirs) <= sizeOf(own) ? [theirs, own] : [own, theirs];
  return few.some((set) => {
    for (const project of set) if (many.some((other) => other.has(project))) return true;
    return false;
  });
}

function inOwnProject(
  { caller, state, object }: Standing,
  allows: (project: KubeObject, name: string) => boolean,
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

/** An event in either of its forms. A later object of the same name is not the one that it speaks of. */
function readsSubject({ caller, state, namespace, object: event }: Standing): boolean {
  const subject = objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding');
  if (subject === undefined || textAt(subject, 'kind') !== virtualClusterInstanceKind.kind) return false;
  if (textAt(subject, 'apiVersion') !== instanceVersion || textAt(subject, 'namespace') !== namespace) return false;
  const instance = state.instance(namespace, textAt(subject, 'name'));
  const uid = textAt(subject, 'uid');
  if (instance === undefined || (uid !== '' && uid !== instance.metadata.uid)) return false;
  return owns(caller, instance) || givenByAccess(caller, instance, reading);
}
