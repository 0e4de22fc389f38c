import { linkedIdentities, providerTeams } from '../../api/management/identities.ts';
import type { User } from '../../api/management/v1/user.ts';
import type { ManagementState } from '../state.ts';

/** The part of the management state from which the groups of an access key are computed. */
export type IdentityState = Pick<
  ManagementState,
  'user' | 'userHidden' | 'passwordsEnabled' | 'team' | 'teamsOf' | 'accessKeyHidden'
>;

/**
 * Returns the state as if no user were disabled and all linked identities at identity providers were active. For an
 * identity that has ended, its last groups and teams count.
 */
export function assumeActive(state: IdentityState): IdentityState {
  const user = (name: string) => {
    const found = state.user(name);
    return found && asActive(found);
  };
  return {
    user,
    userHidden: (name) => state.userHidden(name),
    passwordsEnabled: state.passwordsEnabled,
    team: (name) => state.team(name),
    teamsOf(name) {
      const provided = providerTeams(user(name)).filter((team) => state.team(team) !== undefined);
      return [...new Set([...state.teamsOf(name), ...provided])];
    },
    accessKeyHidden: (name) => state.accessKeyHidden(name),
  };
}

function asActive(user: User): User {
  const identities = linkedIdentities(user).map((identity) => ({ ...identity, state: 'Active' as const }));
  return {
    ...user,
    spec: { ...user.spec, disabled: false },
    ...(identities.length === 0 ? {} : { status: { ...user.status, identities } }),
  };
}
