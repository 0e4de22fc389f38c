import type { CommandCall } from '../command-call.ts';
import type { ServerApi } from '../connection/server-api.ts';
import { instanceKubeconfig, type KubeconfigRequest, withExecPlugin } from './instance-kubeconfig.ts';
import { changeKubeconfig, readKubeconfigFile, userKubeconfig } from './kubeconfig-file.ts';
import { entriesOf, entryName, entryOf, withEntry, withoutEntry } from './merge-kubeconfig.ts';

/** Makes a virtual cluster the current context of the user's own kubeconfig. */
export async function connectKubectl(
  api: ServerApi,
  request: KubeconfigRequest,
  { environment, terminal, values }: CommandCall,
): Promise<void> {
  const answered = await instanceKubeconfig(api, request);
  const kubeconfig = values.flag('exec') ? await withExecPlugin(answered, request, api.access.context) : answered;
  const origin = originOf(api, request);
  const path = userKubeconfig(environment);
  let name = values.text('kube-context') ?? '';
  await changeKubeconfig(path, (before) => {
    name ||= entryName(before, origin);
    return withEntry(before, name, entryOf(kubeconfig), origin);
  });
  terminal.print(`kubectl talks to ${request.name} now (context ${name} in ${path})\n`);
}

/** Takes what `connectKubectl` wrote out again; gives the contexts that are gone. */
export async function disconnectKubectl(
  api: ServerApi,
  request: Pick<KubeconfigRequest, 'project' | 'name'>,
  { environment }: Pick<CommandCall, 'environment'>,
): Promise<readonly string[]> {
  let gone: readonly string[] = [];
  const path = userKubeconfig(environment);
  // Where there is no kubeconfig none is made, nor a folder for it.
  if ((await readKubeconfigFile(path)) === undefined) return gone;
  await changeKubeconfig(path, (before) => {
    gone = entriesOf(before, originOf(api, request));
    return gone.length === 0 ? undefined : gone.reduce(withoutEntry, before);
  });
  return gone;
}

function originOf({ access }: ServerApi, { project, name }: Pick<KubeconfigRequest, 'project' | 'name'>) {
  return { server: access.url, project, name };
}
