import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FlotillaProcess, type FlotillaProcessOptions, startFlotilla } from './flotilla-process.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';

/** Everything that a client needs to reach a cluster. */
export interface ClusterClient {
  /** The root URL of its API. */
  readonly server: string;
  /** The path of a kubeconfig with this cluster as its only context. */
  readonly kubeconfig: string;
  readonly kubectl: Kubectl;
  /** Returns a client for this cluster with another credential. */
  withToken(token: string): ClusterClient;
}

/** A real server and its built-in cluster, with the administrator's credential. */
export interface LocalCluster extends ClusterClient {
  readonly flotilla: FlotillaProcess;
  /** Creates a virtual cluster and its host namespace. Resolves when it is Ready. */
  virtualCluster(name: string, namespace?: string): Promise<ClusterClient>;
  /** Returns a client for an existing virtual cluster, for example after a restart. */
  existingVirtualCluster(name: string, namespace?: string): ClusterClient;
  /** Restarts the server on the same data. */
  restart(): Promise<LocalCluster>;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
}

export async function startLocalCluster(options: FlotillaProcessOptions = {}): Promise<LocalCluster> {
  return localCluster(await startFlotilla(options), mkdtempSync(join(tmpdir(), 'flotilla-kubeconfigs-')));
}

/** Returns the path of a virtual cluster's API, relative to the built-in cluster's path. */
export function proxyPath(name: string, namespace = 'default'): string {
  return `/apis/storage.platform.sh/v1/namespaces/${namespace}/virtualclusters/${name}/proxy`;
}

function localCluster(flotilla: FlotillaProcess, directory: string): LocalCluster {
  const server = `${flotilla.url}/kubernetes/cluster/local`;
  const local = reached({ flotilla, directory, server, token: flotilla.adminKey });
  const reach = (name: string, namespace = 'default') =>
    reached({ flotilla, directory, server: `${server}${proxyPath(name, namespace)}`, token: flotilla.adminKey });
  return {
    ...local,
    flotilla,
    existingVirtualCluster: reach,
    async virtualCluster(name, namespace = 'default') {
      const { kubectl } = local;
      if ((await kubectl.run(['get', 'namespace', namespace])).code !== 0) {
        await kubectl.ok(['create', 'namespace', namespace]);
      }
      const object = { apiVersion: 'storage.platform.sh/v1', kind: 'VirtualCluster', metadata: { name, namespace } };
      await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(object) });
      await kubectl.ok(['wait', '-n', namespace, `virtualcluster/${name}`, '--for=condition=Ready', '--timeout=30s']);
      return reach(name, namespace);
    },
    restart: async () => localCluster(await flotilla.restart(), directory),
    async remove() {
      await flotilla.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

let files = 0;

interface Reaching {
  readonly flotilla: FlotillaProcess;
  /** The folder for kubeconfigs. */
  readonly directory: string;
  readonly server: string;
  readonly token: string;
}

function reached(reaching: Reaching): ClusterClient {
  const { flotilla, directory, server, token } = reaching;
  const kubeconfig = join(directory, `${++files}.yaml`);
  const authority = readFileSync(join(flotilla.dataDirectory, 'ca.crt')).toString('base64');
  const cluster = { name: 'it', cluster: { server, 'certificate-authority-data': authority } };
  const file = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [cluster],
    users: [{ name: 'caller', user: { token } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'caller' } }],
    'current-context': 'it',
  };
  writeFileSync(kubeconfig, JSON.stringify(file), { mode: 0o600 });
  return {
    server,
    kubeconfig,
    kubectl: kubectlWith(kubeconfig),
    withToken: (other) => reached({ ...reaching, token: other }),
  };
}
