import { resolve } from 'node:path';
import type { CommandCall } from '../command-call.ts';
import type { ServerApi } from '../connection/server-api.ts';
import { instanceKubeconfig, type KubeconfigRequest, withExecPlugin } from './instance-kubeconfig.ts';
import { knownKubeconfigs, rememberKubeconfig } from './known-kubeconfigs.ts';
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
  // Ignore an error, for example if the home directory is full or read-only: kubectl works even if the kubeconfig is
  // not remembered.
  await rememberKubeconfig(path, environment).catch(() => undefined);
  terminal.print(`kubectl is now connected to ${request.kind.noun} "${request.name}" (context ${name} in ${path})\n`);
}

type Connected = Pick<KubeconfigRequest, 'kind' | 'project' | 'name'>;

/** Removes the entries that `connectKubectl` added to the user's kubeconfig. Returns the names of the removed contexts. */
export async function disconnectKubectl(
  api: ServerApi,
  request: Connected,
  { environment }: Pick<CommandCall, 'environment'>,
): Promise<readonly string[]> {
  return await removeEntries(userKubeconfig(environment), originOf(api, request));
}

/** A context that was removed, and its file. */
export interface RemovedContext {
  readonly context: string;
  readonly path: string;
}

/**
 * Removes the entries of a deleted instance from every kubeconfig that `connectKubectl` has changed. Skips a file that
 * can no longer be changed, because the instance is deleted anyway.
 */
export async function forgetInstance(
  api: ServerApi,
  request: Connected,
  { environment }: Pick<CommandCall, 'environment'>,
): Promise<readonly RemovedContext[]> {
  const own = userKubeconfig(environment);
  const origin = originOf(api, request);
  const removed = (await removeEntries(own, origin)).map((context) => ({ context, path: own }));
  for (const path of await knownKubeconfigs(environment)) {
    if (path === resolve(own)) continue;
    const contexts = await removeEntries(path, origin).catch(() => []);
    removed.push(...contexts.map((context) => ({ context, path })));
  }
  return removed;
}

async function removeEntries(path: string, origin: EntryOrigin): Promise<readonly string[]> {
  let removed: readonly string[] = [];
  // Without a kubeconfig there is nothing to remove, and `changeKubeconfig` would create the file and its directory.
  const found = await readKubeconfigFile(path);
  if (found === undefined || entryNamesFor(found, origin).length === 0) return removed;
  await changeKubeconfig(path, (before) => {
    removed = entryNamesFor(before, origin);
    return removed.length === 0 ? undefined : removed.reduce(withoutEntry, before);
  });
  return removed;
}

function originOf({ access }: ServerApi, { kind, project, name }: Connected): EntryOrigin {
  // Contexts of virtual clusters have no `kind`, because earlier versions of this program created contexts without it.
  return { server: access.url, project, name, ...(kind.command === '' ? {} : { kind: kind.command }) };
}
