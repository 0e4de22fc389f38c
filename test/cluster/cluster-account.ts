import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kubectl } from '../harness/kubectl.ts';
import { writeKubeconfig } from '../kubernetes/harness/kubeconfig-file.ts';

const manifest = 'examples/cluster-account.yaml';

/**
 * Creates the service account of the guide on a cluster and returns the path of its kubeconfig. Tests use this account
 * because the caller's own kubeconfig may need an exec plugin, which the server does not run.
 */
export async function createAccount(host: Kubectl, folder: string): Promise<string> {
  await host.ok(['apply', '-f', manifest]);
  return await accountKubeconfig(host, folder, { namespace: 'flotilla', name: 'flotilla' });
}

/** Waits for the token in a Secret of a service account. Returns the path of a kubeconfig with this token. */
export async function accountKubeconfig(
  host: Kubectl,
  folder: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const secret = async (key: string) => {
    const data = await host.ok(['get', `secret/${name}`, '-n', namespace, '-o', `jsonpath={.data.${key}}`]);
    return Buffer.from(data, 'base64').toString('utf8');
  };
  while ((await secret('token')) === '') await delay(500);
  const server = await host.ok(['config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}']);
  const parts = { server, ca: await secret('ca\\.crt'), token: await secret('token') };
  return writeKubeconfig(join(folder, 'account.kubeconfig'), parts);
}

/**
 * Deletes the account and waits until its namespace is gone: the next suite uses the same namespace, and nothing can be
 * created in a namespace that is being deleted.
 */
export async function deleteAccount(host: Kubectl): Promise<void> {
  await host.run(['delete', '-f', manifest, '--ignore-not-found', '--timeout=120s']);
}
