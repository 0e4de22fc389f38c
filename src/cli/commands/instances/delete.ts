import { StatusError } from '../../../api/status.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { deleteObject, getObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { waitUntilGone } from '../../connection/wait-for-instance.ts';
import { confirmDeletion } from '../../input/confirm-deletion.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import type { InstanceKind } from '../../kinds.ts';
import { forgetInstance } from '../../kubeconfig/connect-kubectl.ts';

/** Returns the command that deletes instances. */
export function deleteInstancesCommand(kind: InstanceKind): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const names = call.values.argumentList('name');
      const consequence = ` in project "${api.access.project}", with everything in ${names.length === 1 ? 'it' : 'them'}`;
      if (!call.values.flag('dry-run')) await confirmDeletion(kind.noun, { names, consequence }, call);
      for (const name of names) await remove(api, kind, name, call);
      return undefined;
    });
}

async function remove(api: ServerApi, kind: InstanceKind, name: string, call: CommandCall): Promise<void> {
  const { values, terminal, interrupted: signal } = call;
  const { project } = api.access;
  const dryRun = values.flag('dry-run');
  let uid: string;
  try {
    uid = (await getObject(api, kind, { project, signal }, name)).metadata.uid ?? '';
    await deleteObject(api, kind, name, { project, uid, dryRun, signal });
  } catch (error) {
    const isMissing = error instanceof StatusError && error.code === 404;
    if (!isMissing || !values.flag('ignore-not-found')) throw error;
    terminal.printToStderr(`${kind.noun} "${name}" not found in project "${project}"\n`);
    return;
  }
  if (dryRun) {
    terminal.print(`${kind.noun} "${name}" would be deleted\n`);
    return;
  }
  for (const { context, path } of await forgetInstance(api, { kind, project, name }, call))
    terminal.printToStderr(`context ${context} removed from ${path}\n`);
  if (values.flag('wait')) {
    await waitUntilGone(api, { kind, project, name, milliseconds: timeoutFromOptions(values) }, uid, call);
    terminal.print(`${kind.noun} "${name}" deleted\n`);
  } else {
    terminal.print(`${kind.noun} "${name}" is being deleted\n`);
  }
}
