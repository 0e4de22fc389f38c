import { type JsonObject, listAt, numberAt, textAt, valueAt } from '@flotilla/json';
import { backupsPath } from '../../../api/backups/backup-status.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const status = await api.json({ path: backupsPath, signal });
    terminal.print(format.kind === 'objects' ? format.print(status) : `${statusLines(status).join('\n')}\n`);
    return undefined;
  });
};

export const notScheduled = 'no backups are scheduled; set backup.schedule in the settings file of the server';

function statusLines(status: JsonObject): string[] {
  if (textAt(status, 'schedule') === '') return [notScheduled];
  const [success, failure, problem] = [
    textAt(status, 'lastSuccess', 'time'),
    failureOf(status),
    textAt(status, 'problem'),
  ];
  const size = `${numberAt(status, 'lastSuccess', 'bytes') ?? 0} bytes`;
  const duration = `${numberAt(status, 'lastSuccess', 'seconds') ?? 0} s`;
  const rows: readonly (readonly [string, string])[] = [
    ['Schedule', `${textAt(status, 'schedule')} (${textAt(status, 'timeZone')})`],
    ['Destination', textAt(status, 'destination')],
    ['Next', valueAt(status, 'isRunning') === true ? 'in progress' : textAt(status, 'dueAt')],
    ['Last success', success === '' ? 'never' : `${success}, ${size}, ${duration}`],
    ...(failure === '' ? [] : [['Last failure', failure] as const]),
    ['Backups', problem === '' ? String(listAt(status, 'items').length) : `cannot be listed: ${problem}`],
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`);
}

function failureOf(status: JsonObject): string {
  const message = textAt(status, 'lastFailure', 'message');
  return message === '' ? '' : `${textAt(status, 'lastFailure', 'time')}: ${message}; the server tries again`;
}
