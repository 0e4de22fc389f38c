import type { AccessKey } from '../api/management/v1/access-key.ts';
import type { Team } from '../api/management/v1/team.ts';
import type { User } from '../api/management/v1/user.ts';
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
import { groupsFromProviders, isGone } from './identities/provider-rights.ts';
import type { ManagementState } from './state.ts';

/**
 * Returns the identity that an access key authenticates as (completions §8). `undefined` if the user or team of the key
 * does not exist, or if its user is disabled or gone at the identity provider. The groups for users and teams are
 * computed and never taken from the key, so a user who leaves a team loses the permissions of the team.
 */
export function accessKeyIdentity(
  { spec = {} }: Pick<AccessKey, 'spec'>,
  state: Pick<ManagementState, 'user' | 'userHidden' | 'passwordsEnabled' | 'team' | 'teamsOf'>,
): UserInfo | undefined {
  const { groups = [], subject = '', team: teamName = '', user: userName = '' } = spec;
  const extra = groups.filter((group) => !group.startsWith(systemPrefix));
  if (subject !== '') return { name: subject, groups: distinct([...extra, kubernetesAuthenticatedGroup]) };

  const chosen = extra.filter((group) => !followsFromMembership(group));
  const everybody = [kubernetesAuthenticatedGroup, authenticatedGroup];
  if (teamName !== '') {
    const team = state.team(teamName);
    if (team === undefined) return undefined;
    const own = ownGroups(team);
    return identity(team, teamGroup(teamName), [...own, ...everybody, teamGroup(teamName), ...chosen]);
  }

  const user = userName === '' ? undefined : state.user(userName);
  if (user === undefined || user.spec?.disabled === true || isGone(user, state)) return undefined;
  const own = [...ownGroups(user), ...groupsFromProviders(user, state.userHidden(userName))];
  const teams = state.teamsOf(userName).map(teamGroup);
  return identity(user, user.spec?.subject || userName, [
    ...own,
    ...everybody,
    userGroup(userName),
    ...teams,
    ...chosen,
  ]);
}

/** Returns the groups of a user or team object, without groups that only the server assigns to users and teams. */
function ownGroups(of: User | Team): string[] {
  return (of.spec?.groups ?? []).filter((group) => !group.startsWith(systemPrefix) && !followsFromMembership(group));
}

function followsFromMembership(group: string): boolean {
  return userOfGroup(group) !== undefined || teamOfGroup(group) !== undefined;
}

function identity(of: User | Team, name: string, groups: readonly string[]): UserInfo {
  const uid = of.metadata.uid;
  return { name, ...(uid === undefined ? {} : { uid }), groups: distinct(groups) };
}

function distinct(groups: readonly string[]): string[] {
  return [...new Set(groups)];
}
