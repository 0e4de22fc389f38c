import { equalJson } from '@flotilla/json';
import { providerTeams } from '../../api/management/identities.ts';
import type { Team, teamKind } from '../../api/management/v1/team.ts';
import type { User, userKind } from '../../api/management/v1/user.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type RunningController, startController } from '../runtime/controller.ts';
import type { ControllerObserver } from '../runtime/controller-observer.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';
import type { WorkShare } from '../runtime/work-share.ts';

export interface UserControllerOptions {
  readonly users: ResourceClient<FieldsOf<typeof userKind>>;
  readonly teams: ResourceClient<FieldsOf<typeof teamKind>>;
  /** The users and teams that this process reconciles. Optional; defaults to all. */
  readonly share?: WorkShare | undefined;
  readonly observer?: ControllerObserver | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Prefix of the queue keys that represent teams. The queue keys of users are their names. User names contain no slash,
 * so no such key has this prefix.
 */
const teamKeyPrefix = 'team/';

/** Maintains `status.teams` of users. */
export function startUserController({
  users,
  teams,
  share,
  observer,
  clock,
  log,
}: UserControllerOptions): RunningController {
  return startController({
    name: 'users',
    share,
    observer,
    clock,
    log,
    sources: [
      { resource: users, keys: (user) => [user.metadata.name ?? ''] },
      { resource: teams, keys: (team) => [`${teamKeyPrefix}${team.metadata.name}`] },
    ],
    async reconcile(key, [userInformer, teamInformer], signal) {
      const allTeams = [...(teamInformer?.all() ?? [])];
      const affectedUsers = key.startsWith(teamKeyPrefix)
        ? [...userInformer.all()].filter((user) => isStale(user, key.slice(teamKeyPrefix.length), allTeams))
        : [userInformer.get('', key)];
      for (const user of affectedUsers) if (user !== undefined) await reportTeams(users, user, allTeams, signal);
      return undefined;
    },
  });
}

/** True if `status.teams` of the user is outdated for this team. The team may have been deleted. */
function isStale(user: User, team: string, allTeams: readonly Team[]): boolean {
  return (user.status?.teams ?? []).includes(team) !== teamsOf(user, allTeams).includes(team);
}

function teamsOf(user: User, allTeams: readonly Team[]): string[] {
  const provided = new Set(providerTeams(user));
  return allTeams
    .filter(
      ({ metadata: { name = '' }, spec }) =>
        provided.has(name) || (spec?.users ?? []).includes(user.metadata.name ?? ''),
    )
    .map((team) => team.metadata.name ?? '')
    .sort();
}

async function reportTeams(
  users: UserControllerOptions['users'],
  user: User,
  allTeams: readonly Team[],
  signal: AbortSignal,
): Promise<void> {
  const currentTeams = teamsOf(user, allTeams);
  if (equalJson(user.status?.teams ?? [], currentTeams)) return;
  const status = { teams: currentTeams.length === 0 ? null : currentTeams };
  await ignoreNotFound(users.patchStatus({ name: user.metadata.name ?? '' }, { status }, { signal }));
}
