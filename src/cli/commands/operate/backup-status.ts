import type { BackupStatus, CompletedBackup } from '../../../api/backups/backup-status.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { backupsEndpoint, requestEndpoint } from '../../endpoints.ts';
import { outputFormat } from '../../output/output-format.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const { json, body } = await requestEndpoint(api, backupsEndpoint, { signal });
    terminal.print(format.kind === 'objects' ? format.print(json) : `${statusLines(body).join('\n')}\n`);
    return undefined;
  });
};

export const notScheduled = 'no backups are scheduled; set backup.schedule in the settings file of the server';

function statusLines(status: Partial<BackupStatus>): string[] {
  const { schedule = '', timeZone = '', destination = '', dueAt = '', isRunning, lastSuccess, problem = '' } = status;
  if (schedule === '') return [notScheduled];
  const failure = failureOf(status);
  const rows: readonly (readonly [string, string])[] = [
    ['Schedule', `${schedule} (${timeZone})`],
    ['Destination', destination],
    ['Next', isRunning === true ? 'in progress' : dueAt],
    ['Last success', lastSuccess === undefined ? 'never' : successText(lastSuccess)],
    ...(failure === '' ? [] : [['Last failure', failure] as const]),
    ['Backups', problem === '' ? String((status.items ?? []).length) : `cannot be listed: ${problem}`],
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`);
}

function successText({ time, bytes, seconds }: CompletedBackup): string {
  return `${time}, ${bytes} bytes, ${seconds} s`;
}

function failureOf({ lastFailure: { time, message } = { time: '', message: '' } }: Partial<BackupStatus>): string {
  return message === '' ? '' : `${time}: ${message}; the server tries again`;
}
