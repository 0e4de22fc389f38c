import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { encryptionEndpoint, requestEndpoint } from '../../endpoints.ts';
import { outputFormat } from '../../output/output-format.ts';
import { pause } from '../../pause.ts';
import { encryptionLines, progressLine } from './encryption-lines.ts';

const pollMs = 1_000;

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    let status = await requestEndpoint(api, encryptionEndpoint, { method: 'POST', signal });
    let shown = '';
    while (values.flag('wait') && status.body.rewrite !== undefined) {
      const line = progressLine(status.body.rewrite);
      if (line !== shown) terminal.printToStderr(`${line}\n`);
      shown = line;
      await pause(pollMs, signal);
      status = await requestEndpoint(api, encryptionEndpoint, { signal });
    }
    const { json, body } = status;
    terminal.print(format.kind === 'objects' ? format.print(json) : `${encryptionLines(body).join('\n')}\n`);
    return undefined;
  });
};
