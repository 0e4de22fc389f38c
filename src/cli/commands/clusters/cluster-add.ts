import { CliError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { clusterKubeconfig, withLoginOption } from '../../input/cluster-kubeconfig.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { clusters } from '../../kinds.ts';
import { createAndShow } from '../objects/object-create.ts';
import { createJoinToken, printJoinCommands, readAgentCount } from './join-commands.ts';

export const run: CommandRun = async (call) => {
  const { values } = call;
  const joins = values.flag('join');
  const agents = readAgentCount(values);
  if (agents > 1 && !joins) throw new CliError('--agents needs --join');
  if (joins && ['kubeconfig', 'context'].some((name) => values.text(name) !== undefined))
    throw new CliError(
      '--join and --kubeconfig are mutually exclusive: the server reaches the cluster through its agent',
    );
  const spec = {
    ...fieldsFromOptions(values, { 'display-name': 'displayName', description: 'description' }),
    ...(joins || values.flag('agent') ? { networkPeer: true } : { kubeconfig: await clusterKubeconfig(call) }),
  };
  const ownCall = withLoginOption(call);
  await createAndShow(clusters, spec, ownCall);
  const name = values.argument('name');
  if (values.flag('dry-run')) return undefined;
  if (joins) {
    const options = { cluster: name, others: 'none', agents } as const;
    const token = await withFreshLogin(ownCall, (api) => createJoinToken(api, options, call.interrupted));
    printJoinCommands(options, token, call);
  } else {
    call.terminal.printToStderr(`check whether the server reaches it with: flotilla cluster get ${name}\n`);
  }
  return undefined;
};
