import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { disconnectKubectl } from '../../kubeconfig/connect-kubectl.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const [project, name] = [api.access.project, call.values.argument('name')];
    const removed = await disconnectKubectl(api, { project, name }, call);
    if (removed.length === 0) {
      throw new CliError(`kubectl is not connected to virtual cluster "${name}" in project "${project}"`, {
        exitCode: exitCodes.notFound,
      });
    }
    for (const context of removed) call.terminal.print(`context "${context}" removed\n`);
    return undefined;
  });
