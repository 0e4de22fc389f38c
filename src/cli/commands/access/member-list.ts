import { projectRoles } from '../../../api/naming.ts';
import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { projectMembers } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { formatTable } from '../../output/print-table.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const path = api.managementPath('projects', api.access.project, 'members');
    const response = await requestObject(api, projectMembers, { path, signal });
    if (format.kind === 'objects') {
      terminal.print(format.print(response));
      return undefined;
    }
    const rows = (['users', 'teams'] as const).flatMap((list) =>
      response[list].map(({ name, clusterRoles, displayName }) => [
        name,
        list === 'users' ? 'User' : 'Team',
        clusterRoles.map(roleWord).join(', '),
        displayName || '<none>',
      ]),
    );
    if (rows.length === 0) terminal.printToStderr(`no members found in project "${api.access.project}"\n`);
    else terminal.print(formatTable(['Name', 'Kind', 'Role', 'Display Name'], rows, terminal.colors));
    return undefined;
  });
};

/** Converts a cluster role into a value of `--role`: `admin`, `user` or `viewer`. Other cluster roles are unchanged. */
function roleWord(clusterRole: string): string {
  return Object.entries(projectRoles).find(([, name]) => name === clusterRole)?.[0] ?? clusterRole;
}
