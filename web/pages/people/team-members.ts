import type { Team, TeamSpec } from '../../../src/api/management/v1/team.ts';
import { kinds } from '../../data/kind-ref.ts';
import { changeObject } from '../../data/objects/change-object.ts';

export function teamSpec({ spec = {} }: Team): TeamSpec {
  return spec;
}

/**
 * Changes the members of a team. Applies `change` to the members that the server currently has, so concurrent changes
 * are kept.
 */
async function changeUsers(team: string, change: (users: readonly string[]) => string[]): Promise<void> {
  await changeObject(kinds.team, { name: team }, (object) => ({
    spec: { users: change(teamSpec(object).users ?? []) },
  }));
}

export async function addTeamMember(team: string, user: string): Promise<void> {
  await changeUsers(team, (users) => [...users.filter((each) => each !== user), user]);
}

export async function removeTeamMember(team: string, user: string): Promise<void> {
  await changeUsers(team, (users) => users.filter((each) => each !== user));
}
