import { type JsonObject, valueAt } from '@flotilla/json';
import { encryptionPath } from '../../../api/encryption/encryption-status.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';
import { pause } from '../../pause.ts';
import { encryptionLines, progressLine } from './encryption-lines.ts';

const pollMs = 1_000;

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  const isRewriting = (status: JsonObject) => valueAt(status, 'rewrite') !== undefined;
  return await withServer(call, async (api) => {
    let status = await api.json({ method: 'POST', path: encryptionPath, signal });
    let shown = '';
    while (values.flag('wait') && isRewriting(status)) {
      const line = progressLine(status);
      if (line !== shown) terminal.printToStderr(`${line}\n`);
      shown = line;
      await pause(pollMs, signal);
      status = await api.json({ path: encryptionPath, signal });
    }
    terminal.print(format.kind === 'objects' ? format.print(status) : `${encryptionLines(status).join('\n')}\n`);
    return undefined;
  });
};
