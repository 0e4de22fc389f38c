import type { AccessRule } from './v1/access.ts';
import type { TemplateDefinition } from './v1/template-definition.ts';
import type { VirtualClusterInstance } from './v1/virtual-cluster-instance.ts';

/** The cluster roles of users and teams inside a virtual cluster (completions §8). */
export interface VirtualClusterRoles {
  /** The cluster role of users to whom no rule applies. */
  readonly defaultRole: string;
  readonly rules: readonly AccessRule[];
}

/** The caller whose roles inside a virtual cluster are determined. */
export interface RoleHolder {
  /** Name of the user. Absent if the caller is not a user. */
  readonly user?: string | undefined;
  readonly teams: readonly string[];
}

/** Cluster role of users to whom no access rule applies, if the template does not set another default. */
export const defaultVirtualClusterRole = 'cluster-admin';

/**
 * Returns the roles inside the virtual cluster of an instance, from the rules in `access` and the extra rules of the
 * instance. `access` is part of a template definition; it defaults to the `access` of the rendered definition.
 */
export function virtualClusterRoles(
  instance: VirtualClusterInstance,
  access: TemplateDefinition['access'] = instance.status?.virtualCluster?.access,
): VirtualClusterRoles {
  return {
    defaultRole: access?.defaultClusterRole || defaultVirtualClusterRole,
    rules: [...(access?.rules ?? []), ...(instance.spec?.extraAccessRules ?? [])],
  };
}

/** Returns all cluster roles that a user of the virtual cluster can have, sorted and without duplicates. */
export function referencedRoles({ defaultRole, rules }: VirtualClusterRoles): string[] {
  return distinct([defaultRole, ...rules.map(roleOf)]).sort();
}

/** Returns the cluster roles of a user: those of all matching rules, or the default role if no rule matches. */
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
