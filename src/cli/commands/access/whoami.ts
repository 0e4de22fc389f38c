import { listAt, objectAt, textAt, textsAt } from '../../../lib/json-path.ts';
import type { JsonObject } from '../../../lib/json-value.ts';
import { writeJson } from '../../../lib/json-write.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { fetchSelf } from '../../connection/fetch-self.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { escapeControls } from '../../output/escape-controls.ts';
import { outputFormat } from '../../output/output-format.ts';

export const run: CommandRun = async (call) => {
  const format = await outputFormat(call.values);
  return await withServer(call, async (api) => {
    const self = await fetchSelf(api, call.interrupted);
    if (self === undefined) {
      throw new CliError('the scope of the access key does not allow this request', {
        exitCode: exitCodes.refused,
        next: 'keys that were created with --cli-only allow it',
      });
    }
    call.terminal.print(format.kind === 'objects' ? format.print(self) : lines(self, api));
    return undefined;
  });
};

function lines(self: JsonObject, { access }: ServerApi): string {
  const scope = objectAt(self, 'status', 'accessKeyScope');
  const teams = listAt(self, 'status', 'user', 'teams').map((team) => textAt(team, 'name'));
  const rows: [string, string][] = [
    ['user', textAt(self, 'status', 'user', 'name')],
    ['team', textAt(self, 'status', 'team', 'name')],
    ['subject', textAt(self, 'status', 'subject')],
    ['email', textAt(self, 'status', 'user', 'email')],
    ['teams', teams.join(', ')],
    ['groups', textsAt(self, 'status', 'groups').join(', ')],
    ['access key', [textAt(self, 'status', 'accessKey'), textAt(self, 'status', 'accessKeyType')].join(' ').trim()],
    ['scope', scope === undefined ? '' : writeJson(scope)],
    ['server', access.url],
    ['context', access.context ?? '(from the environment)'],
    ['project', access.project],
  ];
  return rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${`${name}:`.padEnd(12)}${escapeControls(value)}\n`)
    .join('');
}
