import type { AccessRule } from './v1/access.ts';
import type { TemplateDefinition } from './v1/template-definition.ts';
import type { VirtualClusterInstance } from './v1/virtual-cluster-instance.ts';

/** The roles of users and teams inside a virtual cluster (completions §8). */
export interface VirtualClusterRoles {
  /** Role of users with access whom no rule matches. */
  readonly defaultRole: string;
  readonly rules: readonly AccessRule[];
}

/** The user and teams that rules are matched against. */
export interface RoleHolder {
  /** Name of the user. Absent if the caller is not a user. */
  readonly user?: string | undefined;
  readonly teams: readonly string[];
}

/** Role of users with access if the definition does not set another default. */
export const defaultVirtualClusterRole = 'cluster-admin';

/** The roles of the definition (by default the rendered one) and the extra rules of the instance. */
export function virtualClusterRoles(
  instance: VirtualClusterInstance,
  access: TemplateDefinition['access'] = instance.status?.virtualCluster?.access,
): VirtualClusterRoles {
  return {
    defaultRole: access?.defaultClusterRole || defaultVirtualClusterRole,
    rules: [...(access?.rules ?? []), ...(instance.spec?.extraAccessRules ?? [])],
  };
}

/** All roles that a user can have, without duplicates, in byte order. */
export function referencedRoles({ defaultRole, rules }: VirtualClusterRoles): string[] {
  return distinct([defaultRole, ...rules.map(roleOf)]).sort();
}

/** The roles of a user with access: those of all matching rules, or the default role if no rule matches. */
export function rolesOfHolder(holder: RoleHolder, { defaultRole, rules }: VirtualClusterRoles): string[] {
  const matching = rules.filter((rule) => isFor(rule, holder));
  return distinct(matching.length === 0 ? [defaultRole] : matching.map(roleOf));
}

function isFor({ users = [], teams: allowedTeams = [] }: AccessRule, { user, teams }: RoleHolder): boolean {
  if (users.includes('*') || (user !== undefined && users.includes(user))) return true;
  return allowedTeams.some((team) => teams.includes(team));
}

function roleOf(rule: AccessRule): string {
  return rule.clusterRole;
}

function distinct(roles: readonly string[]): string[] {
  return [...new Set(roles.filter((role) => role !== ''))];
}
