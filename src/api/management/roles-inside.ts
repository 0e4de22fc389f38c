import { listAt, objectAt, textAt, textsAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { KubeObject } from '../meta.ts';

/** Which roles people have inside a virtual cluster (completions §8). */
export interface RolesInside {
  /** Of everybody with access for whom no rule matches. */
  readonly fallback: string;
  readonly rules: readonly JsonValue[];
}

/** Whom the rules may name. */
export interface RoleHolder {
  /** The name of a user; absent: it is none. */
  readonly user?: string | undefined;
  readonly teams: readonly string[];
}

/** Everybody with access has it where nothing else is said. */
export const defaultRoleInside = 'cluster-admin';

/** Those of the definition, which is the rendered one unless given, and those that the instance has besides. */
export function rolesInside(
  instance: KubeObject,
  access: JsonObject | undefined = objectAt(instance, 'status', 'virtualCluster', 'access'),
): RolesInside {
  return {
    fallback: textAt(access, 'defaultClusterRole') || defaultRoleInside,
    rules: [...listAt(access, 'rules'), ...listAt(instance, 'spec', 'extraAccessRules')],
  };
}

/** All roles that somebody may have, each once, in byte order. */
export function rolesInUse({ fallback, rules }: RolesInside): string[] {
  return distinct([fallback, ...rules.map(roleOf)]).sort();
}

/** The roles of one who has access: all that match, and the fallback only where none does. */
export function rolesOf(holder: RoleHolder, { fallback, rules }: RolesInside): string[] {
  const matching = rules.filter((rule) => isFor(rule, holder));
  return distinct(matching.length === 0 ? [fallback] : matching.map(roleOf));
}

function isFor(rule: JsonValue, { user, teams }: RoleHolder): boolean {
  const users = textsAt(rule, 'users');
  if (users.includes('*') || (user !== undefined && users.includes(user))) return true;
  return textsAt(rule, 'teams').some((team) => teams.includes(team));
}

function roleOf(rule: JsonValue): string {
  return textAt(rule, 'clusterRole');
}

function distinct(roles: readonly string[]): string[] {
  return [...new Set(roles.filter((role) => role !== ''))];
}
