/** What an agent serves. */
export type AgentPlace = 'built-in' | 'kubeconfig' | 'pod';

export const agentPlaces: readonly { readonly value: AgentPlace; readonly label: string; readonly flags: string }[] = [
  { value: 'built-in', label: 'Virtual clusters of its own, no Kubernetes needed', flags: ' --built-in' },
  { value: 'kubeconfig', label: 'A Kubernetes cluster, by a kubeconfig', flags: ' --kubeconfig kubeconfig.yaml' },
  { value: 'pod', label: 'The Kubernetes cluster in which it runs as a pod', flags: '' },
];

export interface AgentCommandOptions {
  readonly cluster: string;
  /** Of the server, as it told. */
  readonly managementHost: string;
  /** The server's certificate is checked with one of its own. */
  readonly hasAuthority: boolean;
  readonly place: AgentPlace;
}

/** What is pasted on the machine of the agent, beside its key. */
export function agentCommand({ cluster, managementHost, hasAuthority, place }: AgentCommandOptions): string {
  const server = new URL(/^https?:/.test(managementHost) ? managementHost : `https://${managementHost}`).origin;
  const flags = agentPlaces.find(({ value }) => value === place)?.flags ?? '';
  return [
    `flotilla agent --management ${server}${hasAuthority ? ' --ca-file ca.crt' : ''}`,
    `  --cluster ${cluster} --access-key-file ${cluster}.key`,
    `  --listen 0.0.0.0:8444 --external-url https://edge.example.com:8444${flags}`,
  ].join(' \\\n');
}
