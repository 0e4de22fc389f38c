import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FlotillaProcess, type FlotillaProcessOptions, startFlotilla } from './flotilla-process.ts';
import { type Kubectl, kubectlWith } from './kubectl.ts';

/** A cluster that a client can be pointed at. */
export interface ReachedCluster {
  /** The root of its API. */
  readonly server: string;
  /** A file of its own, with this cluster as the only context. */
  readonly kubeconfig: string;
  readonly kubectl: Kubectl;
  /** The same cluster for somebody with another credential. */
  as(token: string): ReachedCluster;
}

/** A real server and its built-in cluster, in the hands of the administrator. */
export interface LocalCluster extends ReachedCluster {
  readonly flotilla: FlotillaProcess;
  /** Makes a virtual cluster (its host namespace too) and gives it when it is Ready. */
  virtualCluster(name: string, namespace?: string): Promise<ReachedCluster>;
  /** A virtual cluster that is there, as after a restart. */
  reach(name: string, namespace?: string): ReachedCluster;
  /** Starts the server again on the same data. */
  restart(): Promise<LocalCluster>;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
}

export async function startLocalCluster(options: FlotillaProcessOptions = {}): Promise<LocalCluster> {
  return localCluster(await startFlotilla(options), mkdtempSync(join(tmpdir(), 'flotilla-kubeconfigs-')));
}

/** The path of a virtual cluster's own API, below that of the built-in cluster. */
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
    reach,
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
  /** Where kubeconfigs are written. */
  readonly directory: string;
  readonly server: string;
  readonly token: string;
}

function reached(reaching: Reaching): ReachedCluster {
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
    as: (other) => reached({ ...reaching, token: other }),
  };
}
