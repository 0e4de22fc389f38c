import { adminsGroup, teamOfGroup, userOfGroup } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';

/** A caller in the words of this API. At most one of `user` and `team` is there; neither: a bare subject. */
export interface Caller {
  readonly user: string | undefined;
  /** The team whose key was used. */
  readonly team: string | undefined;
  readonly subject: string;
  /** Teams that the caller is in, or is. */
  readonly teams: readonly string[];
  readonly isAdmin: boolean;
}

const known = new WeakMap<UserInfo, Caller>();

/** Reads the groups that identities carry; nothing is looked up. */
export function callerOf(user: UserInfo): Caller {
  let caller = known.get(user);
  if (caller === undefined) {
    caller = readCaller(user);
    known.set(user, caller);
  }
  return caller;
}

function readCaller(user: UserInfo): Caller {
  let name: string | undefined;
  let isAdmin = false;
  const teams: string[] = [];
  for (const group of user.groups) {
    name ??= userOfGroup(group);
    const team = teamOfGroup(group);
    if (team !== undefined) teams.push(team);
    else if (group === adminsGroup) isAdmin = true;
  }
  const team = name === undefined ? teamOfGroup(user.name) : undefined;
  return { user: name, team, subject: user.name, teams, isAdmin };
}

/** How a caller is written down as an owner. */
export function ownerOf(caller: Caller): { user: string } | { team: string } {
  return caller.team === undefined ? { user: caller.user ?? caller.subject } : { team: caller.team };
}
