import { projectRoles } from '../../api/naming.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import { CliError, exitCodes, usageError } from '../cli-error.ts';
import type { CallValues } from '../command-call.ts';
import type { CommandRun } from '../command-spec.ts';
import { getObject, patchObject } from '../connection/objects.ts';
import { withServer } from '../connection/server-api.ts';
import { projects } from '../kinds.ts';

type Action = 'add' | 'edit' | 'remove';

const done: Readonly<Record<Action, string>> = { add: 'is in', edit: 'has another role in', remove: 'is not in' };

/** Members stand in the project's own list: each change is a write to the project as it was read. */
export function membership(action: Action): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const { values, terminal, interrupted: signal } = call;
      const { project } = api.access;
      const member = { kind: values.flag('team') ? 'Team' : 'User', name: values.argument('name') };
      const object = await getObject(api, projects, { signal }, project);
      const members = changed(action, listAt(object, 'spec', 'members'), member, values, project);
      const { resourceVersion = '' } = object.metadata;
      await patchObject(api, projects, project, { metadata: { resourceVersion }, spec: { members } }, { signal });
      terminal.print(
        `${member.kind.toLowerCase()} ${member.name} ${done[action]} the project ${project}${action === 'edit' ? '' : ' now'}\n`,
      );
      return undefined;
    });
}

function changed(
  action: Action,
  before: readonly JsonValue[],
  member: { kind: string; name: string },
  values: CallValues,
  project: string,
): JsonValue[] {
  const isSame = (entry: JsonValue) => textAt(entry, 'kind') === member.kind && textAt(entry, 'name') === member.name;
  const isThere = before.some(isSame);
  const who = `${member.kind.toLowerCase()} ${member.name}`;
  if (action === 'add' && isThere) {
    throw new CliError(`the ${who} is in the project ${project} already`, {
      next: 'flotilla member edit gives another role',
    });
  }
  if (action !== 'add' && !isThere) {
    const next = `flotilla member list -p ${project} shows who is`;
    throw new CliError(`the ${who} is not in the project ${project}`, { exitCode: exitCodes.notFound, next });
  }
  const others = before.filter((entry) => !isSame(entry));
  return action === 'remove' ? others : [...others, { ...member, clusterRole: roleOf(values) }];
}

function roleOf(values: CallValues): JsonObject[string] {
  const role = values.text('role') ?? 'user';
  const known = Object.entries(projectRoles).find(([word, name]) => word === role || name === role);
  if (known === undefined) throw usageError(`--role ${role}: must be one of ${Object.keys(projectRoles).join(', ')}`);
  return known[1];
}
