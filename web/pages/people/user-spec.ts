import type { User, UserSpec } from '../../../src/api/management/v1/user.ts';
import { adminsGroup, auditorsGroup } from '../../../src/api/naming.ts';

export function userSpec({ spec = {} }: User): UserSpec {
  return spec;
}

export function teamsOfUser({ status }: User): readonly string[] {
  return status?.teams ?? [];
}

/** The groups that give a role in the whole installation. Forms and details show the role instead of the group. */
export const roleGroups: readonly string[] = [adminsGroup, auditorsGroup];

/** Returns the role of a user in the whole installation. */
export function roleOfUser(user: User): 'Administrator' | 'Auditor' | 'User' {
  const groups = userSpec(user).groups ?? [];
  if (groups.includes(adminsGroup)) return 'Administrator';
  return groups.includes(auditorsGroup) ? 'Auditor' : 'User';
}

/** Returns the groups after `group` was added or removed. */
export function withGroup(groups: readonly string[], group: string, isMember: boolean): string[] {
  const others = groups.filter((each) => each !== group);
  return isMember ? [...others, group] : others;
}
