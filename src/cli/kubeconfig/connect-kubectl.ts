import type { CommandCall } from '../command-call.ts';
import type { ServerApi } from '../connection/server-api.ts';
import { instanceKubeconfig, type KubeconfigRequest, withExecPlugin } from './instance-kubeconfig.ts';
import { changeKubeconfig, readKubeconfigFile, userKubeconfig } from './kubeconfig-file.ts';
import { type EntryOrigin, entryName, entryNamesFor, entryOf, withEntry, withoutEntry } from './merge-kubeconfig.ts';

/** Adds an instance to the user's own kubeconfig and makes it the current context. */
export async function connectKubectl(
  api: ServerApi,
  request: KubeconfigRequest,
  { environment, terminal, values }: CommandCall,
): Promise<void> {
  const received = await instanceKubeconfig(api, request);
  const kubeconfig = values.flag('exec') ? await withExecPlugin(received, request, api.access.context) : received;
  const origin = originOf(api, request);
  const path = userKubeconfig(environment);
  let name = values.text('kube-context') ?? '';
  await changeKubeconfig(path, (before) => {
    name ||= entryName(before, origin);
    return withEntry(before, name, entryOf(kubeconfig), origin);
  });
  terminal.print(`kubectl is now connected to ${request.kind.noun} "${request.name}" (context ${name} in ${path})\n`);
}

/** Removes the entries that `connectKubectl` added. Returns the names of the removed contexts. */
export async function disconnectKubectl(
  api: ServerApi,
  request: Pick<KubeconfigRequest, 'kind' | 'project' | 'name'>,
  { environment }: Pick<CommandCall, 'environment'>,
): Promise<readonly string[]> {
  let removed: readonly string[] = [];
  const path = userKubeconfig(environment);
  // Without a kubeconfig there is nothing to remove, and `changeKubeconfig` would create the file and its directory.
  if ((await readKubeconfigFile(path)) === undefined) return removed;
  await changeKubeconfig(path, (before) => {
    removed = entryNamesFor(before, originOf(api, request));
    return removed.length === 0 ? undefined : removed.reduce(withoutEntry, before);
  });
  return removed;
}

function originOf(
  { access }: ServerApi,
  { kind, project, name }: Pick<KubeconfigRequest, 'kind' | 'project' | 'name'>,
): EntryOrigin {
  // Contexts of virtual clusters have no `kind`, so that those of earlier versions of this program are found.
  return { server: access.url, project, name, ...(kind.command === '' ? {} : { kind: kind.command }) };
}
