import { adminsGroup, auditorsGroup, teamOfGroup, userOfGroup } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';

/**
 * A caller of the management API. It is a user (`user` is set), a team (`team` is set), or another subject (neither is
 * set).
 */
export interface Caller {
  readonly user: string | undefined;
  /** The team that the access key of the request belongs to. */
  readonly team: string | undefined;
  readonly subject: string;
  /** The teams of the user, or the team that the access key belongs to. */
  readonly teams: readonly string[];
  readonly isAdmin: boolean;
  readonly isAuditor: boolean;
}

const callers = new WeakMap<UserInfo, Caller>();

/** Derives the caller from the user name and groups of an identity, without lookups. */
export function callerOf(user: UserInfo): Caller {
  let caller = callers.get(user);
  if (caller === undefined) {
    caller = readCaller(user);
    callers.set(user, caller);
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
  return { user: name, team, subject: user.name, teams, isAdmin, isAuditor: user.groups.includes(auditorsGroup) };
}

/** Returns the caller as a value for `spec.owner`. */
export function ownerOf(caller: Caller): { user: string } | { team: string } {
  return caller.team === undefined ? { user: caller.user ?? caller.subject } : { team: caller.team };
}
