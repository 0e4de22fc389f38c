/** The type of cluster that an agent serves. */
export type AgentTarget = 'built-in' | 'kubeconfig' | 'pod';

export const agentTargets: readonly { readonly value: AgentTarget; readonly label: string; readonly flags: string }[] =
  [
    { value: 'built-in', label: 'The built-in cluster of the agent (no Kubernetes required)', flags: ' --built-in' },
    {
      value: 'kubeconfig',
      label: 'A Kubernetes cluster that a kubeconfig file describes',
      flags: ' --kubeconfig kubeconfig.yaml',
    },
    { value: 'pod', label: 'The Kubernetes cluster in which the agent runs as a pod', flags: '' },
  ];

export interface AgentCommandOptions {
  readonly cluster: string;
  /** The address of the server, as the server reports it. */
  readonly managementHost: string;
  /** True if the server's certificate is signed by a private CA. The agent then needs the CA certificate as a file. */
  readonly hasOwnCa: boolean;
  readonly target: AgentTarget;
}

/** Returns the command that starts the agent. It is run in the folder that contains the key file. */
export function agentCommand({ cluster, managementHost, hasOwnCa, target }: AgentCommandOptions): string {
  const server = new URL(/^https?:/.test(managementHost) ? managementHost : `https://${managementHost}`).origin;
  const flags = agentTargets.find(({ value }) => value === target)?.flags ?? '';
  return [
    `flotilla agent --management ${server}${hasOwnCa ? ' --ca-file ca.crt' : ''}`,
    `  --cluster ${cluster} --access-key-file ${cluster}.key`,
    `  --listen 0.0.0.0:8444 --external-url https://edge.example.com:8444${flags}`,
  ].join(' \\\n');
}
