import { usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';

export const run: CommandRun = async ({ values, terminal }) => {
  const dataDir = values.text('data-dir');
  const what = values.text('print');
  const server = values.text('server');
  if (what === undefined) {
    if (server !== undefined) throw usageError('--server needs --print kubeconfig');
    const { requestAdminKey } = await import('../../../server/recovery/admin-key-request.ts');
    terminal.print(await requestAdminKey(dataDir));
    return undefined;
  }
  const { printAdminKey } = await import('../../../server/recovery/print-admin-key.ts');
  terminal.print(await printAdminKey({ dataDir, what, server }));
  return undefined;
};
