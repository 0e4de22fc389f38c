import { auditCheckpointsPath } from '../../../api/audit/audit-chain.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const list = await api.json({ path: auditCheckpointsPath, signal: call.interrupted });
    call.terminal.print(`${JSON.stringify(list, undefined, 2)}\n`);
    return undefined;
  });
