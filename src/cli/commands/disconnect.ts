import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandRun } from '../command-spec.ts';
import { withServer } from '../connection/server-api.ts';
import { disconnectKubectl } from '../kubeconfig/connect-kubectl.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const [project, name] = [api.access.project, call.values.argument('name')];
    const gone = await disconnectKubectl(api, { project, name }, call);
    if (gone.length === 0) {
      throw new CliError(`kubectl is not connected to ${name} of the project ${project}`, {
        exitCode: exitCodes.notFound,
      });
    }
    for (const context of gone) call.terminal.print(`context ${context} removed\n`);
    return undefined;
  });
