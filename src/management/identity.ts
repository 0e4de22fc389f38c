import type { KubeObject } from '../api/meta.ts';
import {
  authenticatedGroup,
  kubernetesAuthenticatedGroup,
  systemPrefix,
  teamGroup,
  teamOfGroup,
  userGroup,
  userOfGroup,
} from '../api/naming.ts';
import type { UserInfo } from '../api/user-info.ts';
import { flagAt, textAt, textsAt } from '../lib/json-path.ts';
import type { ManagementState } from './state.ts';

/**
 * Returns the identity of an access key (completions §8), `undefined` if its user is disabled or its user or team does
 * not exist. Groups of users and teams are computed here and never taken from the key, so that leaving a team ends the
 * permissions of its members.
 */
export function identityOf(
  key: KubeObject,
  state: Pick<ManagementState, 'user' | 'team' | 'teamsOf'>,
): UserInfo | undefined {
  const extra = textsAt(key, 'spec', 'groups').filter((group) => !group.startsWith(systemPrefix));
  const subject = textAt(key, 'spec', 'subject');
  if (subject !== '') return { name: subject, groups: distinct([...extra, kubernetesAuthenticatedGroup]) };

  const chosen = extra.filter((group) => !followsFromMembership(group));
  const everybody = [kubernetesAuthenticatedGroup, authenticatedGroup];
  const teamName = textAt(key, 'spec', 'team');
  if (teamName !== '') {
    const team = state.team(teamName);
    if (team === undefined) return undefined;
    const own = ownGroups(team);
    return identity(team, teamGroup(teamName), [...own, ...everybody, teamGroup(teamName), ...chosen]);
  }

  const userName = textAt(key, 'spec', 'user');
  const user = userName === '' ? undefined : state.user(userName);
  if (user === undefined || flagAt(user, 'spec', 'disabled')) return undefined;
  const own = ownGroups(user);
  const teams = state.teamsOf(userName).map(teamGroup);
  return identity(user, textAt(user, 'spec', 'subject') || userName, [
    ...own,
    ...everybody,
    userGroup(userName),
    ...teams,
    ...chosen,
  ]);
}

/** Excludes user and team groups: listing such a group makes nobody another user or a member of a team. */
function ownGroups(of: KubeObject): string[] {
  return textsAt(of, 'spec', 'groups').filter(
    (group) => !group.startsWith(systemPrefix) && !followsFromMembership(group),
  );
}

function followsFromMembership(group: string): boolean {
  return userOfGroup(group) !== undefined || teamOfGroup(group) !== undefined;
}

function identity(of: KubeObject, name: string, groups: readonly string[]): UserInfo {
  const uid = of.metadata.uid;
  return { name, ...(uid === undefined ? {} : { uid }), groups: distinct(groups) };
}

function distinct(groups: readonly string[]): string[] {
  return [...new Set(groups)];
}
