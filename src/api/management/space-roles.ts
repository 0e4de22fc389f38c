import { authenticatedGroup, teamGroup, userGroup } from '../naming.ts';
import type { AccessEntry, AccessRule } from './v1/access.ts';
import type { Owner } from './v1/owner.ts';
import type { ProjectMember } from './v1/project.ts';
import type { SpaceDefinition } from './v1/space-definition.ts';

/**
 * The cluster role of users and teams that are not named in any access rule of a space, unless the template sets
 * another default.
 */
export const defaultSpaceRole = 'admin';

/**
 * The cluster roles that everyone with write access to a space may grant in its namespace. None of them allows changing
 * the namespace itself, its quota or its limits. Other roles require the permission `hostaccess`.
 */
export const grantableSpaceRoles: readonly string[] = [defaultSpaceRole, 'edit', 'view'];

/** A cluster role in the namespace of a space, and the groups to which it is granted. */
export interface SpaceBinding {
  readonly clusterRole: string;
  readonly groups: readonly string[];
}

/** The fields of a space that give access to it. */
interface SharedSpace {
  readonly spec?: {
    readonly owner?: Owner;
    readonly access?: readonly AccessEntry[];
    readonly extraAccessRules?: readonly AccessRule[];
  };
}

/**
 * Returns the roles in the namespace of a space. Each rule in `access` and each rule of the space grants its role to
 * the users and teams that the rule names. The owner, the users and teams that may use the space, and the admins of the
 * project get the default role, unless a rule names them. A rule for `*` counts as naming all of these. The result is
 * sorted.
 */
export function spaceBindings(
  { spec = {} }: SharedSpace,
  access: SpaceDefinition['access'],
  admins: readonly ProjectMember[],
): SpaceBinding[] {
  const rules = [...(access?.rules ?? []), ...(spec.extraAccessRules ?? [])];
  const roles = new RoleGroups();
  const named = new Set<string>();
  for (const { clusterRole, ...rule } of rules) {
    for (const group of groupsOf(rule)) {
      roles.add(clusterRole, group);
      named.add(group);
    }
  }
  const forEverybody = rules.filter(({ users = [] }) => users.includes('*')).map(({ clusterRole }) => clusterRole);
  const defaults = forEverybody.length > 0 ? forEverybody : [access?.defaultClusterRole || defaultSpaceRole];
  for (const group of groupsWithAccess(spec, admins)) {
    const isNamed = named.has(group);
    for (const role of isNamed ? forEverybody : defaults) roles.add(role, group);
  }
  return roles.sorted();
}

function groupsWithAccess(
  { owner = {}, access = [] }: NonNullable<SharedSpace['spec']>,
  admins: readonly ProjectMember[],
): Set<string> {
  const groups = new Set<string>();
  const add = (found: readonly string[]) => {
    for (const group of found) groups.add(group);
  };
  add(groupsOf({ users: owner.user ? [owner.user] : [], teams: owner.team ? [owner.team] : [] }));
  for (const entry of access.filter(givesUse)) {
    add(groupsOf(entry));
    if (entry.users?.includes('*') === true) groups.add(authenticatedGroup);
  }
  for (const { kind, name } of admins) groups.add(kind === 'Team' ? teamGroup(name) : userGroup(name));
  return groups;
}

function givesUse({ verbs, subresources = [] }: AccessEntry): boolean {
  const isForObject = subresources.length === 0 || subresources.includes('*');
  return isForObject && (verbs.includes('use') || verbs.includes('*'));
}

/** Returns the groups of the named users and teams, without `*`. */
function groupsOf({ users = [], teams = [] }: { readonly users?: string[]; readonly teams?: string[] }): string[] {
  return [...users.filter((name) => name !== '*').map(userGroup), ...teams.map(teamGroup)];
}

class RoleGroups {
  readonly #groups = new Map<string, Set<string>>();

  add(role: string, group: string): void {
    if (role === '') return;
    const groups = this.#groups.get(role) ?? new Set<string>();
    this.#groups.set(role, groups.add(group));
  }

  sorted(): SpaceBinding[] {
    const byRole = [...this.#groups].sort(([one], [other]) => (one < other ? -1 : 1));
    return byRole.map(([clusterRole, groups]) => ({ clusterRole, groups: [...groups].sort() }));
  }
}
