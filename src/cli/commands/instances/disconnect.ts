import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import type { InstanceKind } from '../../kinds.ts';
import { disconnectKubectl } from '../../kubeconfig/connect-kubectl.ts';

/** Returns the command that removes an instance from the user's kubeconfig. */
export function disconnectCommand(kind: InstanceKind): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const [project, name] = [api.access.project, call.values.argument('name')];
      const removed = await disconnectKubectl(api, { kind, project, name }, call);
      if (removed.length === 0) {
        throw new CliError(`kubectl is not connected to ${kind.noun} "${name}" in project "${project}"`, {
          exitCode: exitCodes.notFound,
        });
      }
      for (const context of removed) call.terminal.print(`context "${context}" removed\n`);
      return undefined;
    });
}
