import { projectRoles } from '../../../api/naming.ts';
import { listAt, textAt, textsAt } from '../../../lib/json-path.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';
import { plainTable } from '../../output/print-table.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const response = await api.json({ path: api.managementPath('projects', api.access.project, 'members'), signal });
    if (format.kind === 'objects') {
      terminal.print(format.print(response));
      return undefined;
    }
    const rows = (['users', 'teams'] as const).flatMap((list) =>
      listAt(response, list).map((member) => [
        textAt(member, 'name'),
        list === 'users' ? 'User' : 'Team',
        textsAt(member, 'clusterRoles').map(roleWord).join(', '),
        textAt(member, 'displayName') || '<none>',
      ]),
    );
    if (rows.length === 0) terminal.printToStderr(`no members found in project "${api.access.project}"\n`);
    else terminal.print(plainTable(['Name', 'Kind', 'Role', 'Display Name'], rows, terminal.colors));
    return undefined;
  });
};

/** Returns `admin`, `user` or `viewer`, the values of `--role`. */
function roleWord(clusterRole: string): string {
  return Object.entries(projectRoles).find(([, name]) => name === clusterRole)?.[0] ?? clusterRole;
}
