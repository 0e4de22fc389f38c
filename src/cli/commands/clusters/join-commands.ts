import { CliError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import { requestObject } from '../../connection/objects.ts';
import type { ServerApi } from '../../connection/server-api.ts';
import { clusterJoinToken, managementApiVersion } from '../../kinds.ts';

export interface JoinTokenOptions {
  readonly cluster: string;
  /**
   * The effect of the command on the agents that joined the cluster earlier. `none`: no agent joined earlier.
   * `replace`: the keys of these agents are revoked. `keep`: these agents keep their keys.
   */
  readonly others: 'none' | 'replace' | 'keep';
  /** The number of agents that join. */
  readonly agents: number;
}

/** Reads the number of agents from `--agents`. */
export function readAgentCount(values: CommandCall['values']): number {
  const text = values.text('agents') ?? '1';
  if (!/^[1-8]$/.test(text)) throw new CliError(`--agents: "${text}" is not a number from 1 to 8`);
  return Number(text);
}

/** Creates a token with which agents join a cluster. */
export async function createJoinToken(
  api: ServerApi,
  { cluster, others, agents }: JoinTokenOptions,
  signal: AbortSignal,
): Promise<string> {
  const made = await requestObject(api, clusterJoinToken, {
    method: 'POST',
    path: api.managementPath('clusters', cluster, 'jointoken'),
    body: {
      apiVersion: managementApiVersion,
      kind: clusterJoinToken.kind,
      spec: { replace: others === 'replace', add: others === 'keep', agents },
    },
    signal,
  });
  return made.status?.token ?? '';
}

/** The chart of the agent in a directory with the sources. */
export const defaultChart = 'charts/flotilla-agent';

/** Prints the commands that start agents with a join token. */
export function printJoinCommands(
  { cluster, others, agents }: JoinTokenOptions,
  token: string,
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
): void {
  const chart = values.text('chart') ?? defaultChart;
  const install = others === 'replace' ? 'upgrade --install --reuse-values' : 'install';
  const release = others === 'keep' ? `${cluster}-agent-2` : `${cluster}-agent`;
  const works = agents === 1 ? 'works once. The agent needs' : `works for ${agents} agents. The agents need`;
  const replicas = agents === 1 ? '' : ` --set replicas=${agents}`;
  const where = agents === 1 ? 'on a machine' : `on each of ${agents} machines`;
  const choice = agents === 1 ? ' (or with --built-in, without one)' : '';
  const lines = [
    `Run one of these commands within an hour. The token ${works} no address that others can reach.`,
    '',
    'With Helm, in a Kubernetes cluster:',
    '',
    `  helm ${install} ${release} ${chart} --namespace flotilla-agent --create-namespace \\`,
    `    --set tunnel=true${replicas} --set joinToken=${token}`,
    '',
    `Without Helm, ${where} that can reach the Kubernetes cluster${choice}:`,
    '',
    `  flotilla agent --tunnel --kubeconfig "$HOME/.kube/config" --join-token ${token}`,
    '',
  ];
  terminal.print(`${lines.join('\n')}`);
}
