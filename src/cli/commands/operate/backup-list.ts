import { listAt, numberAt, textAt } from '@flotilla/json';
import { backupsPath } from '../../../api/backups/backup-status.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { notScheduled } from './backup-status.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const status = await api.json({ path: backupsPath, signal });
    const [items, problem] = [listAt(status, 'items'), textAt(status, 'problem')];
    if (problem !== '') throw new CliError(`the server cannot list ${textAt(status, 'destination')}: ${problem}`);
    if (format.kind === 'objects') terminal.print(format.print(status));
    else if (items.length === 0) {
      terminal.print(textAt(status, 'schedule') === '' ? `${notScheduled}\n` : 'there are no backups yet\n');
    } else {
      const table = {
        columnDefinitions: ['Name', 'Time', 'Bytes'].map((name) => ({ name, priority: 0 })),
        rows: items.map((item) => ({
          cells: [textAt(item, 'name'), textAt(item, 'time'), String(numberAt(item, 'bytes') ?? 0)],
        })),
      };
      const printer = new TablePrinter({ wide: format.wide, colors: terminal.colors });
      terminal.print(`${printer.lines(table).join('\n')}\n`);
    }
    return undefined;
  });
};
