import type { UserSpec } from '../../../src/api/management/v1/user.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { adminsGroup } from '../../../src/api/naming.ts';
import { textsAt } from '../../../src/lib/json-path.ts';

export function userSpec({ spec }: KubeObject): UserSpec {
  return (spec ?? {}) as UserSpec;
}

export function teamsOfUser(user: KubeObject): readonly string[] {
  return textsAt(user, 'status', 'teams');
}

export function isAdminUser(user: KubeObject): boolean {
  return userSpec(user).groups?.includes(adminsGroup) === true;
}

/** Returns the groups with or without the administrators group. */
export function withAdmin(groups: readonly string[], isAdmin: boolean): string[] {
  const others = groups.filter((group) => group !== adminsGroup);
  return isAdmin ? [...others, adminsGroup] : others;
}
