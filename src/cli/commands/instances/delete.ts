import { StatusError } from '../../../api/status.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { deleteObject, getObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { waitUntilGone } from '../../connection/wait-for-instance.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import { virtualClusters } from '../../kinds.ts';
import { disconnectKubectl } from '../../kubeconfig/connect-kubectl.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    for (const name of call.values.argumentList('name')) await remove(api, name, call);
    return undefined;
  });

async function remove(api: ServerApi, name: string, call: CommandCall): Promise<void> {
  const { values, terminal, interrupted: signal } = call;
  const { project } = api.access;
  const dryRun = values.flag('dry-run');
  let uid: string;
  try {
    uid = (await getObject(api, virtualClusters, { project, signal }, name)).metadata.uid ?? '';
    await deleteObject(api, virtualClusters, name, { project, uid, dryRun, signal });
  } catch (error) {
    const isMissing = error instanceof StatusError && error.code === 404;
    if (!isMissing || !values.flag('ignore-not-found')) throw error;
    terminal.printToStderr(`virtual cluster "${name}" not found in project "${project}"\n`);
    return;
  }
  if (dryRun) {
    terminal.print(`virtual cluster "${name}" would be deleted\n`);
    return;
  }
  const contexts = await disconnectKubectl(api, { project, name }, call);
  if (contexts.length > 0) terminal.printToStderr(`removed from the kubeconfig: ${contexts.join(', ')}\n`);
  if (values.flag('wait')) {
    await waitUntilGone(api, { project, name, milliseconds: timeoutFromOptions(values) }, uid, call);
    terminal.print(`virtual cluster "${name}" deleted\n`);
  } else {
    terminal.print(`virtual cluster "${name}" is being deleted\n`);
  }
}
