import { writeJson } from '@flotilla/json';
import type { Self } from '../../../api/management/v1/self.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { fetchSelf } from '../../connection/fetch-self.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';

export const run: CommandRun = async (call) => {
  const format = await outputFormat(call.values);
  return await withServer(call, async (api) => {
    const self = await fetchSelf(api, call.interrupted);
    if (self === undefined) {
      throw new CliError('the scope of the access key does not allow this request', {
        exitCode: exitCodes.refused,
        next: 'keys that were created with --allow-cli allow it',
      });
    }
    call.terminal.print(format.kind === 'objects' ? format.print(self) : lines(self, api));
    return undefined;
  });
};

function lines({ status = {} }: Self, { access }: ServerApi): string {
  const { user, accessKeyScope: scope } = status;
  const rows: [string, string][] = [
    ['user', user?.name ?? ''],
    ['team', status.team?.name ?? ''],
    ['subject', status.subject ?? ''],
    ['email', user?.email ?? ''],
    ['teams', (user?.teams ?? []).map(({ name }) => name).join(', ')],
    ['groups', (status.groups ?? []).join(', ')],
    ['access key', [status.accessKey ?? '', status.accessKeyType ?? ''].join(' ').trim()],
    ['scope', scope === undefined || scope === null ? '' : writeJson(scope)],
    ['server', access.url],
    ['context', access.context ?? '(from the environment)'],
    ['project', access.project],
  ];
  return rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${`${name}:`.padEnd(12)}${escapeControlCharacters(value)}\n`)
    .join('');
}
