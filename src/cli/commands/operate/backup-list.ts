import { CliError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { backupsEndpoint, requestEndpoint } from '../../endpoints.ts';
import { outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { notScheduled } from './backup-status.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const { json, body } = await requestEndpoint(api, backupsEndpoint, { signal });
    const { items = [], problem = '', destination = '', schedule = '' } = body;
    if (problem !== '') throw new CliError(`the server cannot list ${destination}: ${problem}`);
    if (format.kind === 'objects') terminal.print(format.print(json));
    else if (items.length === 0) {
      terminal.print(schedule === '' ? `${notScheduled}\n` : 'there are no backups yet\n');
    } else {
      const table = {
        columnDefinitions: ['Name', 'Time', 'Bytes'].map((name) => ({ name, priority: 0 })),
        rows: items.map(({ name, time, bytes }) => ({ cells: [name, time, String(bytes)] })),
      };
      const printer = new TablePrinter({ wide: format.wide, colors: terminal.colors });
      terminal.print(`${printer.lines(table).join('\n')}\n`);
    }
    return undefined;
  });
};
