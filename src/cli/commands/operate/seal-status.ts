import { encryptionPath } from '../../../api/encryption/encryption-status.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';
import { encryptionLines } from './encryption-lines.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const status = await api.json({ path: encryptionPath, signal });
    terminal.print(format.kind === 'objects' ? format.print(status) : `${encryptionLines(status).join('\n')}\n`);
    return undefined;
  });
};
