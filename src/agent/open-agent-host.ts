import type { AgentDir } from './agent-dir.ts';
import type { AgentHost } from './agent-host.ts';
import { type BuiltInAgentHostOptions, builtInAgentHost } from './built-in-agent-host.ts';
import { type KubernetesAgentHostOptions, kubernetesAgentHost } from './kubernetes-agent-host.ts';
import type { ConnectedAgentOptions } from './options.ts';

export interface OpenAgentHostOptions
  extends Omit<BuiltInAgentHostOptions, 'dir' | 'encryptedRows'>,
    Pick<KubernetesAgentHostOptions, 'limiters' | 'isOwnToken'> {
  readonly settings: Pick<ConnectedAgentOptions, 'cluster' | 'host' | 'readOnly' | 'encryptedRows'>;
  readonly dir: AgentDir;
}

/** Opens the cluster that the agent serves: a built-in cluster or a Kubernetes cluster, depending on its options. */
export async function openAgentHost({ settings, dir, ...options }: OpenAgentHostOptions): Promise<AgentHost> {
  const { host, cluster, readOnly, encryptedRows } = settings;
  if (host.kind === 'built-in') {
    return await builtInAgentHost({ ...options, dir, encryptedRows });
  }
  const { kubeconfigFile } = host;
  return await kubernetesAgentHost({
    ...options,
    cluster,
    kubeconfigFile,
    readOnly,
    workDir: dir.helm,
    environment: process.env,
  });
}
