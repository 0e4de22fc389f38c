import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { encryptionEndpoint, requestEndpoint } from '../../endpoints.ts';
import { outputFormat } from '../../output/output-format.ts';
import { encryptionLines } from './encryption-lines.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const { json, body } = await requestEndpoint(api, encryptionEndpoint, { signal });
    terminal.print(format.kind === 'objects' ? format.print(json) : `${encryptionLines(body).join('\n')}\n`);
    return undefined;
  });
};
