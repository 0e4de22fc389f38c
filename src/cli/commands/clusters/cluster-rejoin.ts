import type { CommandRun } from '../../command-spec.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { createJoinToken, printJoinCommands, readAgentCount } from './join-commands.ts';

export const run: CommandRun = async (call) => {
  const options = {
    cluster: call.values.argument('name'),
    others: 'replace',
    agents: readAgentCount(call.values),
  } as const;
  return await withFreshLogin(call, async (api) => {
    const token = await createJoinToken(api, options, call.interrupted);
    call.terminal.printToStderr(`the credentials of the agents of cluster "${options.cluster}" have ended\n`);
    printJoinCommands(options, token, call);
    return undefined;
  });
};
