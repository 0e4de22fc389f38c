import { shareRole } from '../../../api/management/share-role.ts';
import { defaultSpaceRole } from '../../../api/management/space-roles.ts';
import type { AccessEntry, AccessRule } from '../../../api/management/v1/access.ts';
import { defaultVirtualClusterRole } from '../../../api/management/virtual-cluster-roles.ts';
import { StatusError } from '../../../api/status.ts';
import { CliError, exitCodes, usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { changeObject } from '../../connection/change-object.ts';
import { getObject } from '../../connection/objects.ts';
import { type GivenName, rejectUnknownNames } from '../../connection/reject-unknown-names.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { closestNames } from '../../failure/closest-names.ts';
import { type Instance, type InstanceKind, teams, users, virtualClusters } from '../../kinds.ts';
import { formatTable } from '../../output/print-table.ts';

/** The name of the entry in `spec.access` that this command manages. Other entries are not changed when sharing. */
const entryName = 'shared';

/** Returns the command that shares an instance, or shows who has access to it. */
export function shareCommand(kind: InstanceKind): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const { values, terminal, interrupted: signal } = call;
      const where = { project: api.access.project, signal };
      const name = values.argument('name');
      const instance = await getObject(api, kind, where, name);
      const people = { users: values.list('user'), teams: values.list('team') };
      if (people.users.length + people.teams.length === 0) {
        terminal.print(accessTable(instance, call));
        return undefined;
      }
      const given = values.text('role');
      const role = given ?? usualRole(kind, instance);
      const removes = values.flag('remove');
      if (removes && given !== undefined)
        throw usageError('--remove removes all access and cannot be combined with --role');
      if (removes) rejectIfNotShared(kind, instance, people);
      else {
        await rejectUnknownNames(api, givenNames(people), call);
        await rejectUnknownRole(api, { kind, instance, role: given }, call);
      }
      await changeObject(api, { kind, name, ...where }, (current) =>
        removes ? without(current, people) : withPeople(current, people, role),
      );
      const who = [...people.users, ...people.teams.map((team) => `team ${team}`)].join(', ');
      terminal.print(
        removes
          ? `${kind.noun} "${name}" is no longer shared with ${who}\n`
          : `${kind.noun} "${name}" shared with ${who}, with the cluster role ${role}\n`,
      );
      return undefined;
    });
}

/** Returns the default cluster role of people without `--role`. The console uses the same default. */
function usualRole(kind: InstanceKind, { status, spec }: Instance): string {
  const isCluster = kind === virtualClusters;
  const rendered =
    status && ('space' in status ? status.space : 'virtualCluster' in status ? status.virtualCluster : undefined);
  // Before the first reconcile, the status contains no rendered template.
  const { access } = rendered ?? spec?.template ?? {};
  const widest = isCluster ? defaultVirtualClusterRole : defaultSpaceRole;
  return shareRole(access?.defaultClusterRole || widest, widest);
}

interface People {
  readonly users: readonly string[];
  readonly teams: readonly string[];
}

function givenNames({ users: userNames, teams: teamNames }: People): GivenName[] {
  return [...userNames.map((name) => ({ kind: users, name })), ...teamNames.map((name) => ({ kind: teams, name }))];
}

/** The cluster roles that every virtual cluster has for people. */
const usualRoles = ['view', 'edit', 'admin', 'cluster-admin'];

interface GivenRole {
  readonly kind: InstanceKind;
  readonly instance: Instance;
  readonly role: string | undefined;
}

/**
 * Throws if the virtual cluster does not have the given cluster role. Accepts any role if the roles cannot be looked
 * up, because the virtual cluster is not ready or the caller may not read its roles.
 */
async function rejectUnknownRole(api: ServerApi, given: GivenRole, call: CommandCall): Promise<void> {
  const { kind, role, instance } = given;
  if (role === undefined || kind !== virtualClusters || call.values.flag('allow-missing')) return;
  if (instance.status?.phase !== 'Ready') return;
  const { apiPrefix, project } = api.access;
  const name = instance.metadata.name ?? '';
  const path = `/${apiPrefix}/project/${encodeURIComponent(project)}/${kind.gatewaySegment}/${encodeURIComponent(name)}/apis/rbac.authorization.k8s.io/v1/clusterroles/${encodeURIComponent(role)}`;
  try {
    await api.json({ path, signal: call.interrupted });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.code !== 404) return;
    const close = closestNames(role, usualRoles);
    const suggestion =
      close.length > 0 ? `did you mean "${close[0]}"?` : `the usual ones are: ${usualRoles.join(', ')}`;
    throw new CliError(`cluster role "${role}" not found in virtual cluster "${name}"; ${suggestion}`, {
      next: 'for a role that will exist later, add --allow-missing',
      cause: error,
    });
  }
}

/**
 * Throws if the entries of the instance do not contain one of these users and teams. Does not check whether the users
 * and teams exist, because a user or team that no longer exists can still be removed from the entries.
 */
function rejectIfNotShared({ noun }: InstanceKind, { metadata, spec = {} }: Instance, people: People): void {
  const entries: readonly NamingEntry[] = [...(spec.access ?? []), ...(spec.extraAccessRules ?? [])];
  for (const { kind, name } of givenNames(people)) {
    const shared = entries.flatMap((entry) => (kind === users ? entry.users : entry.teams) ?? []);
    if (shared.includes(name)) continue;
    const [close] = closestNames(name, shared);
    throw new CliError(`${noun} "${metadata.name}" is not shared with ${kind.noun} "${name}"`, {
      exitCode: exitCodes.notFound,
      ...(close === undefined ? {} : { next: `did you mean "${close}"?` }),
    });
  }
}

/** The common fields of the entries in `spec.access` and `spec.extraAccessRules`. */
type NamingEntry = Pick<AccessEntry, 'users' | 'teams'>;

type Grants = { access: AccessEntry[]; extraAccessRules: AccessRule[] };

function withPeople(instance: Instance, people: People, role: string): Grants {
  const { access, extraAccessRules: rules } = without(instance, people);
  const kept = access.find(({ name }) => name === entryName);
  const entry = joined<AccessEntry>(kept ?? { name: entryName, verbs: ['get', 'use'] }, people);
  const same = rules.find(({ clusterRole }) => clusterRole === role);
  return {
    access: [...access.filter((one) => one !== kept), entry],
    extraAccessRules: [
      ...rules.filter((one) => one !== same),
      joined<AccessRule>(same ?? { clusterRole: role }, people),
    ],
  };
}

function joined<Entry extends NamingEntry>(before: Entry, { users, teams }: People): Entry {
  const allUsers = [...new Set([...(before.users ?? []), ...users])];
  const allTeams = [...new Set([...(before.teams ?? []), ...teams])];
  return {
    ...before,
    ...(allUsers.length === 0 ? {} : { users: allUsers }),
    ...(allTeams.length === 0 ? {} : { teams: allTeams }),
  };
}

/**
 * Returns `spec.access` and `spec.extraAccessRules` without these users and teams. Removes entries that become empty.
 */
function without({ spec = {} }: Instance, { users, teams }: People): Grants {
  const less = <Entry extends NamingEntry>(entry: Entry): Entry[] => {
    const leftUsers = (entry.users ?? []).filter((name) => !users.includes(name));
    const leftTeams = (entry.teams ?? []).filter((name) => !teams.includes(name));
    if (leftUsers.length + leftTeams.length === 0) return [];
    const rest = { ...entry };
    delete rest.users;
    delete rest.teams;
    return [
      {
        ...rest,
        ...(leftUsers.length === 0 ? {} : { users: leftUsers }),
        ...(leftTeams.length === 0 ? {} : { teams: leftTeams }),
      },
    ];
  };
  return {
    access: (spec.access ?? []).flatMap(less),
    extraAccessRules: (spec.extraAccessRules ?? []).flatMap(less),
  };
}

function accessTable({ spec = {} }: Instance, { terminal }: CommandCall): string {
  const owner = spec.owner?.user || `team ${spec.owner?.team ?? ''}`;
  const who = ({ users = [], teams = [] }: NamingEntry) =>
    [...users, ...teams.map((team) => `team ${team}`)].join(', ');
  const rows = [
    [owner, 'owner'],
    ...(spec.access ?? []).map((entry) => [who(entry), entry.verbs.join(', ')]),
    ...(spec.extraAccessRules ?? []).map((rule) => [who(rule), `cluster role ${rule.clusterRole}`]),
  ];
  return formatTable(['Name', 'Access'], rows, terminal.colors);
}
