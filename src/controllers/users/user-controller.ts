import { equalJson } from '@flotilla/json';
import type { Team, teamKind } from '../../api/management/v1/team.ts';
import type { User, userKind } from '../../api/management/v1/user.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type RunningController, startController } from '../runtime/controller.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';

export interface UserControllerOptions {
  readonly users: ResourceClient<FieldsOf<typeof userKind>>;
  readonly teams: ResourceClient<FieldsOf<typeof teamKind>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Names contain no slash, so a team's key never equals a user's. */
const teamKey = 'team/';

/** Maintains the teams in the status of users. */
export function startUserController({ users, teams, clock, log }: UserControllerOptions): RunningController {
  return startController({
    name: 'users',
    clock,
    log,
    sources: [
      { resource: users, keys: (user) => [user.metadata.name ?? ''] },
      { resource: teams, keys: (team) => [`${teamKey}${team.metadata.name}`] },
    ],
    async reconcile(key, [userCopies, teamCopies], signal) {
      const allTeams = [...(teamCopies?.all() ?? [])];
      const concerned = key.startsWith(teamKey)
        ? [...userCopies.all()].filter((user) => isStale(user, key.slice(teamKey.length), allTeams))
        : [userCopies.get('', key)];
      for (const user of concerned) if (user !== undefined) await reportTeams(users, user, allTeams, signal);
      return undefined;
    },
  });
}

/** True if the user's status is wrong about this team, which may be deleted. */
function isStale(user: User, team: string, allTeams: readonly Team[]): boolean {
  return (user.status?.teams ?? []).includes(team) !== teamsOf(user, allTeams).includes(team);
}

function teamsOf(user: User, allTeams: readonly Team[]): string[] {
  return allTeams
    .filter((team) => (team.spec?.users ?? []).includes(user.metadata.name ?? ''))
    .map((team) => team.metadata.name ?? '')
    .sort();
}

async function reportTeams(
  users: UserControllerOptions['users'],
  user: User,
  allTeams: readonly Team[],
  signal: AbortSignal,
): Promise<void> {
  const isIn = teamsOf(user, allTeams);
  if (equalJson(user.status?.teams ?? [], isIn)) return;
  const status = { teams: isIn.length === 0 ? null : isIn };
  await ignoreNotFound(users.patchStatus({ name: user.metadata.name ?? '' }, { status }, { signal }));
}
