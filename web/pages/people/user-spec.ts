import type { User, UserSpec } from '../../../src/api/management/v1/user.ts';
import { adminsGroup } from '../../../src/api/naming.ts';

export function userSpec({ spec = {} }: User): UserSpec {
  return spec;
}

export function teamsOfUser({ status }: User): readonly string[] {
  return status?.teams ?? [];
}

export function isAdminUser(user: User): boolean {
  return userSpec(user).groups?.includes(adminsGroup) === true;
}

/** Returns the groups with or without the administrators group. */
export function withAdminsGroup(groups: readonly string[], isAdmin: boolean): string[] {
  const others = groups.filter((group) => group !== adminsGroup);
  return isAdmin ? [...others, adminsGroup] : others;
}
