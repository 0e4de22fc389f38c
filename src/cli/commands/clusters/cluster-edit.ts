import { usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { clusterKubeconfig, withLoginOption } from '../../input/cluster-kubeconfig.ts';
import { clusters } from '../../kinds.ts';
import { editObject } from '../objects/object-edit.ts';

/** Edits a Cluster object. With `--kubeconfig` or `--context` it replaces the credentials of the cluster instead. */
export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const replaces = values.text('kubeconfig') !== undefined || values.text('context') !== undefined;
  if (!replaces) return await withServer(withLoginOption(call), async (api) => await editObject(api, clusters, call));
  if (values.text('patch') !== undefined) throw usageError('--patch and --kubeconfig cannot be combined');
  const kubeconfig = await clusterKubeconfig(call);
  return await withServer(withLoginOption(call), async (api) => {
    const name = values.argument('name');
    await patchObject(api, clusters, name, { patch: { spec: { kubeconfig } }, signal });
    terminal.print(`credentials of cluster "${name}" replaced\n`);
    return undefined;
  });
};
