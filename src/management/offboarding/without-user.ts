import { equalJson, type JsonObject } from '@flotilla/json';
import type { AccessEntry } from '../../api/management/v1/access.ts';
import type { SharedFields } from '../shared-fields.ts';

/** The fields of any kind that can name a user. */
export type NamingSpec = NonNullable<SharedFields['spec']>;

/** The changes that remove a user from an object. */
export interface Removal {
  /** The new values of the fields that change. Empty if nothing grants the user access. */
  readonly grants: JsonObject;
  readonly isOwner: boolean;
}

/** Returns the changes that remove a user from the owner, the access entries and the members of an object. */
export function withoutUser({ owner, access, extraAccessRules, members, users }: NamingSpec, user: string): Removal {
  const after = {
    access: withoutName(access, user),
    extraAccessRules: withoutName(extraAccessRules, user),
    members: members?.filter(({ kind, name }) => kind === 'Team' || name !== user),
    users: users?.filter((name) => name !== user),
  };
  const before = { access, extraAccessRules, members, users };
  const grants: JsonObject = {};
  for (const field of ['access', 'extraAccessRules', 'members', 'users'] as const) {
    const next = after[field];
    if (next !== undefined && !equalJson(next, before[field])) grants[field] = next;
  }
  return { grants, isOwner: owner?.user === user };
}

/** Removes the user from the entries of a list, and then removes the entries that no longer name anyone. */
function withoutName<Entry extends Pick<AccessEntry, 'users' | 'teams'>>(
  entries: readonly Entry[] | undefined,
  user: string,
): Entry[] | undefined {
  return entries?.flatMap((entry) => {
    const { users = [], teams = [] } = entry;
    if (!users.includes(user)) return [entry];
    const left = users.filter((name) => name !== user);
    return left.length + teams.length === 0 ? [] : [{ ...entry, users: left }];
  });
}
