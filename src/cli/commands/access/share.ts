import type { KubeObject } from '../../../api/meta.ts';
import { listAt, objectAt, textAt, textsAt } from '../../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../../lib/json-value.ts';
import { usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { getObject, patchObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { virtualClusters } from '../../kinds.ts';
import { plainTable } from '../../output/print-table.ts';

/** The entry of `spec.access` that this command manages; other entries are not changed. */
const entryName = 'shared';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const { values, terminal, interrupted: signal } = call;
    const where = { project: api.access.project, signal };
    const name = values.argument('name');
    const instance = await getObject(api, virtualClusters, where, name);
    const people = { users: values.list('user'), teams: values.list('team') };
    if (people.users.length + people.teams.length === 0) {
      terminal.print(accessTable(instance, call));
      return undefined;
    }
    const role = values.text('role');
    const removes = values.flag('remove');
    if (removes && role !== undefined)
      throw usageError('--remove removes all access and cannot be combined with --role');
    const { resourceVersion = '' } = instance.metadata;
    const spec = removes ? without(instance, people) : withPeople(instance, people, role);
    // The resourceVersion that was read prevents lost updates.
    await patchObject(api, virtualClusters, name, { metadata: { resourceVersion }, spec }, where);
    const who = [...people.users, ...people.teams.map((team) => `team ${team}`)].join(', ');
    terminal.print(
      removes
        ? `virtual cluster "${name}" is no longer shared with ${who}\n`
        : `virtual cluster "${name}" shared with ${who}\n`,
    );
    return undefined;
  });

interface People {
  readonly users: readonly string[];
  readonly teams: readonly string[];
}

function withPeople(instance: KubeObject, people: People, role: string | undefined): JsonObject {
  const rest = objectAt(without(instance, people));
  const access = listAt(rest, 'access');
  const kept = access.find((entry) => textAt(entry, 'name') === entryName);
  const entry = joined({ name: entryName, verbs: ['get', 'use'] }, kept, people);
  const rules = listAt(rest, 'extraAccessRules');
  const same = rules.find((rule) => textAt(rule, 'clusterRole') === role);
  return {
    access: [...access.filter((one) => one !== kept), entry],
    extraAccessRules:
      role === undefined
        ? [...rules]
        : [...rules.filter((one) => one !== same), joined({ clusterRole: role }, same, people)],
  };
}

function joined(head: JsonObject, before: JsonValue | undefined, { users, teams }: People): JsonObject {
  const all = (member: 'users' | 'teams', more: readonly string[]) => [
    ...new Set([...textsAt(before, member), ...more]),
  ];
  const [allUsers, allTeams] = [all('users', users), all('teams', teams)];
  return {
    ...(objectAt(before) ?? head),
    ...(allUsers.length === 0 ? {} : { users: allUsers }),
    ...(allTeams.length === 0 ? {} : { teams: allTeams }),
  };
}

/** Both lists without these users and teams; entries that name nobody are removed. */
function without(instance: KubeObject, { users, teams }: People): JsonObject {
  const less = (entry: JsonValue): JsonObject[] => {
    const [leftUsers, leftTeams] = [
      textsAt(entry, 'users').filter((name) => !users.includes(name)),
      textsAt(entry, 'teams').filter((name) => !teams.includes(name)),
    ];
    const { users: _users, teams: _teams, ...rest } = objectAt(entry) ?? {};
    const left = {
      ...(leftUsers.length === 0 ? {} : { users: leftUsers }),
      ...(leftTeams.length === 0 ? {} : { teams: leftTeams }),
    };
    return Object.keys(left).length === 0 ? [] : [{ ...rest, ...left }];
  };
  return {
    access: listAt(instance, 'spec', 'access').flatMap(less),
    extraAccessRules: listAt(instance, 'spec', 'extraAccessRules').flatMap(less),
  };
}

function accessTable(instance: KubeObject, { terminal }: CommandCall): string {
  const owner = textAt(instance, 'spec', 'owner', 'user') || `team ${textAt(instance, 'spec', 'owner', 'team')}`;
  const who = (entry: JsonValue) =>
    [...textsAt(entry, 'users'), ...textsAt(entry, 'teams').map((team) => `team ${team}`)].join(', ');
  const rows = [
    [owner, 'owner'],
    ...listAt(instance, 'spec', 'access').map((entry) => [who(entry), textsAt(entry, 'verbs').join(', ')]),
    ...listAt(instance, 'spec', 'extraAccessRules').map((rule) => [
      who(rule),
      `cluster role ${textAt(rule, 'clusterRole')}`,
    ]),
  ];
  return plainTable(['Name', 'Access'], rows, terminal.colors);
}
