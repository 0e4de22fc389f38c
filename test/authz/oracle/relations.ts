import type { RequestedAction } from '../requested-action.ts';
import * as world from '../world.ts';

/**
 * A principal as the authorizer sees it. The key of a team acts as the team and as no user. A bare subject is neither a
 * user nor a team.
 */
export interface Person {
  readonly user?: string;
  readonly teams: readonly string[];
  readonly admin: boolean;
  /** A member of the group of auditors. Optional; defaults to false. */
  readonly auditor?: boolean;
}

/** The relations of a person to the requested object. The rows of the oracle use these names. */
export type Relation = keyof typeof relations;

type Holds = (person: Person, ask: RequestedAction) => boolean;

export function holds(relation: Relation, person: Person, ask: RequestedAction): boolean {
  return relations[relation](person, ask);
}

const relations = {
  everybody: () => true,
  admin: (person) => person.admin,
  auditor: (person) => person.auditor === true,
  'project admin': (person, ask) => roleIn(person, projectOf(ask)).includes('admin'),
  'project user': (person, ask) => roleIn(person, projectOf(ask)).includes('user'),
  'project viewer': (person, ask) => roleIn(person, projectOf(ask)).includes('viewer'),
  'project owner': (person, ask) => owns(person, world.projects.find(({ name }) => name === projectOf(ask))?.owner),
  /** The owner of the object itself. */
  owner: (person, ask) => owns(person, objectOf(ask)?.owner),
  /**
   * The owner of the object, if the owner is also a user of the project. If a team owns the object, the team must be a
   * user of the project.
   */
  'owner and user': (person, ask) => {
    const owner = objectOf(ask)?.owner;
    const who = owner?.team === undefined ? person : { teams: [owner.team], admin: person.admin };
    return owns(person, owner) && roleIn(who, projectOf(ask)).includes('user');
  },
  /** Named in the object's `access` with the requested verb and subresource. */
  named: (person, ask) => named(person, objectOf(ask)?.access, ask.verb, ask.subresource),
  'named with get': (person, ask) => named(person, objectOf(ask)?.access, 'get', ''),
  'named with use': (person, ask) => named(person, objectOf(ask)?.access, 'use', ''),
  'named with update': (person, ask) => named(person, objectOf(ask)?.access, 'update', ''),
  'named with patch': (person, ask) => named(person, objectOf(ask)?.access, 'patch', ''),
  /** The user object is the caller's own. */
  self: (person, ask) => person.user !== undefined && person.user === ask.name,
  /** The caller is a member of the team object, or is the team. */
  'in the team': (person, ask) => person.teams.includes(ask.name),
  /** The user or team object is a member of a project that the caller is a member of. */
  'fellow member': isFellow,
  /** The cluster or template is allowed in a project that the caller is a member of. */
  'member where it is allowed': isAllowedWhereMember,
  'key holder': (person, ask) => ownsKey(person, ask.name),
  'reads an instance there': (person, ask) =>
    [...world.instances, ...world.spaces].some((one) => one.project === ask.project && readsInstance(person, one)),
  /** An admin of the project, if the event exists and is not about an access key that belongs to a user. */
  'project admin, not of keys': (person, ask) =>
    roleIn(person, projectOf(ask)).includes('admin') && existsEvent(ask) && keyOfEvent(ask)?.owner.user === undefined,
  /** The instance that the event is about is readable, or the caller holds the key. */
  'reads what it is about': readsSubject,
  /** The project of the namespace is readable. */
  'reads the project': readsProject,
  /** An admin of the project who is named with `use` on the source cluster of the import. */
  'importing admin': isImportingAdmin,
  /** An importing admin who may also act on hosts in the project. */
  'importing admin with host access': (person, ask) =>
    isImportingAdmin(person, ask) &&
    named(person, world.projects.find(({ name }) => name === ask.name)?.access, 'use', 'hostaccess'),
} satisfies Record<string, Holds>;

function isImportingAdmin(person: Person, ask: RequestedAction): boolean {
  const source = world.clusters.find(({ name }) => name === world.importSource(ask.name));
  return roleIn(person, ask.name).includes('admin') && named(person, source?.access, 'use', '');
}

function ownsKey(person: Person, key: string): boolean {
  return owns(person, world.keys.find(({ name }) => name === key)?.owner);
}

function owns(person: Person, owner: world.Owner | undefined): boolean {
  if (owner?.user !== undefined) return owner.user === person.user;
  return owner?.team !== undefined && person.teams.includes(owner.team);
}

function named(
  person: Person,
  access: readonly world.Access[] | undefined,
  verb: string,
  subresource: string,
): boolean {
  return (access ?? []).some((entry) => {
    const isMeant =
      entry.users?.includes('*') === true ||
      (person.user !== undefined && entry.users?.includes(person.user) === true) ||
      person.teams.some((team) => entry.teams?.includes(team) === true);
    const given = entry.subresources ?? [];
    const isCovered = given.includes('*') || (subresource === '' ? given.length === 0 : given.includes(subresource));
    return isMeant && isCovered && (entry.verbs.includes(verb) || entry.verbs.includes('*'));
  });
}

/** The project of the request: its namespace or its object. */
function projectOf(ask: RequestedAction): string {
  return ask.resource === 'projects' || ask.resource === 'namespaces' ? ask.name : ask.project;
}

function roleIn(person: Person, project: string): world.Role[] {
  const members = world.projects.find(({ name }) => name === project)?.members ?? [];
  return members.filter((member) => owns(person, member)).map(({ role }) => role);
}

function isMember(person: Person, project: string): boolean {
  return roleIn(person, project).length > 0;
}

function objectOf(ask: RequestedAction): world.WorldObject | undefined {
  const sameName = <T extends { name: string }>(all: readonly T[]) => all.find(({ name }) => name === ask.name);
  switch (ask.resource) {
    case 'projects':
      return sameName(world.projects);
    case 'virtualclusterinstances':
      return world.instances.find(({ project, name }) => project === ask.project && name === ask.name);
    case 'spaceinstances':
      return world.spaces.find(({ project, name }) => project === ask.project && name === ask.name);
    case 'secrets':
    case 'configmaps': {
      const found = world.configObjects.find(({ project, name }) => project === ask.project && name === ask.name);
      return found && { ...found, access: [] };
    }
    case 'clusters':
      return sameName(world.clusters);
    case 'virtualclustertemplates':
      return sameName(world.templates);
    case 'spacetemplates':
      return sameName(world.spaceTemplates);
    case 'teams':
      return sameName(world.teams);
    case 'users':
      return { name: ask.name, access: world.userAccess[ask.name] ?? [] };
    default:
      return undefined;
  }
}

function isFellow(person: Person, ask: RequestedAction): boolean {
  return world.projects
    .filter(({ name }) => isMember(person, name))
    .some(({ members }) =>
      members.some(({ user, team }) => {
        if (ask.resource === 'teams') return team === ask.name;
        if (user !== undefined) return user === ask.name;
        return world.teams.some((one) => one.name === team && one.users.includes(ask.name));
      }),
    );
}

function isAllowedWhereMember(person: Person, ask: RequestedAction): boolean {
  return world.projects
    .filter(({ name }) => isMember(person, name))
    .some(({ clusters, templates, spaceTemplates }) => {
      const ofTemplates = ask.resource === 'spacetemplates' ? spaceTemplates : templates;
      const allowed = ask.resource === 'clusters' ? clusters : ofTemplates;
      return allowed.includes(ask.name) || allowed.includes('*');
    });
}

function readsInstance(person: Person, instance: world.WorldInstance): boolean {
  return (
    person.admin ||
    roleIn(person, instance.project).includes('admin') ||
    owns(person, instance.owner) ||
    named(person, instance.access, 'get', '')
  );
}

function eventOf(ask: RequestedAction): world.WorldEvent | undefined {
  return world.events.find(({ project, name }) => project === ask.project && name === ask.name);
}

function existsEvent(ask: RequestedAction): boolean {
  if (eventOf(ask) !== undefined) return true;
  return [...world.instances, ...world.spaces].some(
    ({ project, name }) => project === ask.project && ask.name === world.eventsAbout(name),
  );
}

function keyOfEvent(ask: RequestedAction) {
  const event = eventOf(ask);
  return event?.aboutKey === undefined ? undefined : world.keys.find(({ name }) => name === event.aboutKey);
}

function readsSubject(person: Person, ask: RequestedAction): boolean {
  if (owns(person, keyOfEvent(ask)?.owner)) return true;
  const event = eventOf(ask);
  const about = [...world.instances, ...world.spaces].find(
    ({ project, name }) => project === ask.project && (name === event?.about || ask.name === world.eventsAbout(name)),
  );
  return about !== undefined && readsInstance(person, about);
}

function readsProject(person: Person, ask: RequestedAction): boolean {
  const project = world.projects.find(({ name }) => name === ask.name);
  if (project === undefined) return false;
  return isMember(person, project.name) || owns(person, project.owner) || named(person, project.access, 'get', '');
}
