import type { CommandRun } from '../../command-spec.ts';
import { clusterKubeconfig, withLoginOption } from '../../input/cluster-kubeconfig.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { clusters } from '../../kinds.ts';
import { createAndShow } from '../objects/object-create.ts';

export const run: CommandRun = async (call) => {
  const spec = {
    ...fieldsFromOptions(call.values, { 'display-name': 'displayName', description: 'description' }),
    ...(call.values.flag('agent') ? { networkPeer: true } : { kubeconfig: await clusterKubeconfig(call) }),
  };
  await createAndShow(clusters, spec, withLoginOption(call));
  const name = call.values.argument('name');
  if (!call.values.flag('dry-run')) {
    call.terminal.printToStderr(`check whether the server reaches it with: flotilla cluster get ${name}\n`);
  }
  return undefined;
};
