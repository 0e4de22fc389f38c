import type { CommandCall } from '../../command-call.ts';
import { requestObject } from '../../connection/objects.ts';
import type { ServerApi } from '../../connection/server-api.ts';
import { clusterJoinToken, managementApiVersion } from '../../kinds.ts';

export interface JoinTokenOptions {
  readonly cluster: string;
  /** True if the keys of the agents that have joined end at once. */
  readonly replace: boolean;
}

/** Creates a token with which an agent joins a cluster. */
export async function createJoinToken(
  api: ServerApi,
  { cluster, replace }: JoinTokenOptions,
  signal: AbortSignal,
): Promise<string> {
  const made = await requestObject(api, clusterJoinToken, {
    method: 'POST',
    path: api.managementPath('clusters', cluster, 'jointoken'),
    body: { apiVersion: managementApiVersion, kind: clusterJoinToken.kind, spec: { replace } },
    signal,
  });
  return made.status?.token ?? '';
}

const defaultChart = 'charts/flotilla-agent';

/** Prints the commands that start an agent with a join token. */
export function printJoinCommands(
  { cluster, replace }: JoinTokenOptions,
  token: string,
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
): void {
  const chart = values.text('chart') ?? defaultChart;
  const install = replace ? 'upgrade --install --reuse-values' : 'install';
  const lines = [
    'Run one of these commands within an hour. Its token works once. The agent needs no address that others can reach.',
    '',
    'With Helm, in a Kubernetes cluster:',
    '',
    `  helm ${install} ${cluster}-agent ${chart} --namespace flotilla-agent --create-namespace \\`,
    `    --set tunnel=true --set joinToken=${token}`,
    '',
    'Without Helm, on a machine that can reach a Kubernetes cluster (or with --built-in, without one):',
    '',
    `  flotilla agent --tunnel --kubeconfig "$HOME/.kube/config" --join-token ${token}`,
    '',
  ];
  terminal.print(`${lines.join('\n')}`);
}
