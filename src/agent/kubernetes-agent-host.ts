import { readFile } from 'node:fs/promises';
import { type Kubeconfig, readKubeconfig } from '../api/kubeconfig.ts';
import type { TargetLimiters } from '../gateway/forward/target-limiter.ts';
import { hostedCluster } from '../gateway/hosted-cluster.ts';
import { instancePathDepth } from '../gateway/instance-gateway.ts';
import { createTokenReviews } from '../gateway/reviews/token-reviews.ts';
import { remoteSpaces } from '../gateway/spaces/space-cluster.ts';
import { openKubernetesHost } from '../hosts/kubernetes/kubernetes-host.ts';
import { clusterUidOf } from '../hosts/kubernetes/observe/probe-cluster.ts';
import { connectToHost, type HostConnection } from '../hosts/kubernetes/reach/host-connection.ts';
import { defaultHelmSettings } from '../hosts/kubernetes/release/helm-settings.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { StartError } from '../process/start-error.ts';
import type { AgentHost } from './agent-host.ts';
import { clusterAccountApi } from './cluster-account.ts';
import { followTokenFile } from './service-account-token.ts';

export interface KubernetesAgentHostOptions {
  readonly cluster: string;
  /** The kubeconfig of the cluster; `undefined` to use the service account of the agent's pod. */
  readonly kubeconfigFile: string | undefined;
  /** True if the agent permits only the requests that imported virtual clusters need. */
  readonly readOnly: boolean;
  readonly workDir: string;
  readonly limiters: TargetLimiters;
  /** True for a token that this installation issued. The agent never sends such a token to another server. */
  isOwnToken(token: string): Promise<boolean>;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens a Kubernetes cluster on which the control server installs virtual clusters. */
export async function kubernetesAgentHost(options: KubernetesAgentHostOptions): Promise<AgentHost> {
  const { cluster, limiters, isOwnToken, workDir, clock, log } = options;
  const connection =
    options.kubeconfigFile === undefined
      ? await connectFromPod(options)
      : connectToHost(await readKubeconfigFile(options.kubeconfigFile), { clock });
  // Helm settings are required, but the agent never runs helm: the control server installs the virtual clusters.
  const helm = { ...defaultHelmSettings, environment: {} };
  const host = openKubernetesHost({ connection, helm, workDir, clock, log });
  const reviews = createTokenReviews({ clock });
  const api = clusterAccountApi({ connection, readOnly: options.readOnly });
  return {
    kind: 'kubernetes',
    uid: (signal) => clusterUidOf(connection, signal),
    virtualClusters: hostedCluster({
      host,
      cluster,
      pathDepth: instancePathDepth,
      tokenReviews: reviews,
      limiters: limiters,
      isOwnToken,
      clock,
    }),
    spaces: remoteSpaces({ host, cluster, api, limiters, clock }),
    api,
    async close() {
      await host.close();
      await connection.close();
    },
  };
}

async function readKubeconfigFile(path: string): Promise<Kubeconfig> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new StartError(`cannot read the kubeconfig ${path}`, { cause: error });
  });
  const { kubeconfig, fault } = readKubeconfig(text);
  if (kubeconfig === undefined) throw new StartError(`cannot use the kubeconfig ${path}: it ${fault}`);
  return kubeconfig;
}

/** The directory in which Kubernetes mounts the service account credentials of a pod. */
const serviceAccountDir = '/var/run/secrets/kubernetes.io/serviceaccount';

async function connectFromPod({ environment, clock }: KubernetesAgentHostOptions): Promise<HostConnection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined) {
    throw new StartError('no cluster: set --kubeconfig or --built-in, or run the agent in a pod of the cluster');
  }
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const certificateAuthority = await readFile(`${serviceAccountDir}/ca.crt`, 'utf8');
  const currentToken = followTokenFile(`${serviceAccountDir}/token`, clock);
  return connectToHost({ server, certificateAuthority, token: currentToken() }, { clock, currentToken });
}
