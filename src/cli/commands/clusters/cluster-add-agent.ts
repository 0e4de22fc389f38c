import type { CommandRun } from '../../command-spec.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { createJoinToken, printJoinCommands, readAgentCount } from './join-commands.ts';

export const run: CommandRun = async (call) => {
  const options = {
    cluster: call.values.argument('name'),
    others: 'keep',
    agents: readAgentCount(call.values),
  } as const;
  return await withFreshLogin(call, async (api) => {
    const token = await createJoinToken(api, options, call.interrupted);
    printJoinCommands(options, token, call);
    return undefined;
  });
};
