/** The cluster that an agent serves. */
export type AgentTarget = 'built-in' | 'kubeconfig' | 'pod';

export const agentTargets: readonly { readonly value: AgentTarget; readonly label: string; readonly flags: string }[] =
  [
    { value: 'built-in', label: 'Its own built-in cluster, no Kubernetes required', flags: ' --built-in' },
    { value: 'kubeconfig', label: 'A Kubernetes cluster, with a kubeconfig', flags: ' --kubeconfig kubeconfig.yaml' },
    { value: 'pod', label: 'The Kubernetes cluster that it runs in as a pod', flags: '' },
  ];

export interface AgentCommandOptions {
  readonly cluster: string;
  /** The address of the server, as the server reports it. */
  readonly managementHost: string;
  /** True if the server's certificate has its own CA. */
  readonly hasOwnCa: boolean;
  readonly target: AgentTarget;
}

/** Returns the command that starts the agent, to run beside its key file. */
export function agentCommand({ cluster, managementHost, hasOwnCa, target }: AgentCommandOptions): string {
  const server = new URL(/^https?:/.test(managementHost) ? managementHost : `https://${managementHost}`).origin;
  const flags = agentTargets.find(({ value }) => value === target)?.flags ?? '';
  return [
    `flotilla agent --management ${server}${hasOwnCa ? ' --ca-file ca.crt' : ''}`,
    `  --cluster ${cluster} --access-key-file ${cluster}.key`,
    `  --listen 0.0.0.0:8444 --external-url https://edge.example.com:8444${flags}`,
  ].join(' \\\n');
}
