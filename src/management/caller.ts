import { adminsGroup, teamOfGroup, userOfGroup } from '../api/naming.ts';
import type { UserInfo } from '../api/user-info.ts';

/** A caller in the words of this API. At most one of `user` and `team` is there; neither: a bare subject. */
export interface Caller {
  readonly user?: string;
  /** The team whose key was used. */
  readonly team?: string;
  readonly subject: string;
  /** Teams that the caller is in, or is. */
  readonly teams: readonly string[];
  readonly isAdmin: boolean;
}

/** Reads the groups that identities carry; nothing is looked up. */
export function callerOf(user: UserInfo): Caller {
  const name = user.groups.map(userOfGroup).find((found) => found !== undefined);
  const team = name === undefined ? teamOfGroup(user.name) : undefined;
  return {
    ...(name === undefined ? {} : { user: name }),
    ...(team === undefined ? {} : { team }),
    subject: user.name,
    teams: user.groups.map(teamOfGroup).filter((found) => found !== undefined),
    isAdmin: user.groups.includes(adminsGroup),
  };
}

/** How a caller is written down as an owner. */
export function ownerOf(caller: Caller): { user: string } | { team: string } {
  return caller.team === undefined ? { user: caller.user ?? caller.subject } : { team: caller.team };
}
