import type { CommandRun } from '../../command-spec.ts';
import { readConfig } from '../../config/config-file.ts';
import { configPath } from '../../config/config-path.ts';
import { formatTable } from '../../output/print-table.ts';

export const run: CommandRun = async ({ environment, terminal }) => {
  const { current, logins } = await readConfig(configPath(environment));
  const rows = [...logins].map(([name, login]) => [
    name === current ? '*' : '',
    name,
    login.url,
    login.user ?? '<unknown>',
    login.project ?? 'default',
  ]);
  if (rows.length === 0) terminal.printToStderr('no saved logins; run: flotilla login URL\n');
  else terminal.print(formatTable(['Current', 'Name', 'Server', 'User', 'Project'], rows, terminal.colors));
  return undefined;
};
