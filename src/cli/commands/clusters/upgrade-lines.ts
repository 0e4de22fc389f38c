import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import type { Cluster } from '../../../api/management/v1/cluster.ts';
import type { ClusterAgent } from '../../../api/management/v1/cluster-agent.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';

export interface UpgradeOptions {
  readonly cluster: string;
  /** The chart in the commands. */
  readonly chart: string;
}

/**
 * Returns lines with the commands that upgrade the agents of a cluster to the version of the server: one helm command per
 * release, and a line for each agent that was not installed with Helm.
 */
export function upgradeLines({ status }: Pick<Cluster, 'status'>, options: UpgradeOptions): readonly string[] {
  const { agents = [] } = status ?? {};
  if (agents.length === 0) return [`cluster "${options.cluster}" has no agent`];
  const outdated = agents.filter(({ upgradeAvailable }) => upgradeAvailable !== undefined);
  if (outdated.length === 0)
    return [`the agents of cluster "${options.cluster}" have the version of the server or a newer one`];
  const releases = outdated.filter(({ release }) => release !== undefined);
  const processes = outdated.filter(({ release }) => release === undefined);
  const commands = new Set(releases.filter(hasValidRelease).map((agent) => helmCommand(agent, options)));
  return [
    ...(commands.size === 0 ? [] : ['Run with a kubeconfig of the cluster:', '', ...commands, '']),
    ...releases
      .filter((agent) => !hasValidRelease(agent))
      .map(
        ({ name }) =>
          `The agent ${name} has announced an invalid Helm release. If you did not expect this, delete its access key.`,
      ),
    ...processes.map(
      ({ name, hostname, version, upgradeAvailable }) =>
        `The agent ${name}${hostname === undefined ? '' : ` on ${onOneLine(hostname)}`} was not installed with Helm: replace version ${version} with ${upgradeAvailable} there, and restart it with the same data directory.`,
    ),
  ];
}

/**
 * True if the name and namespace of the release are valid Kubernetes names. Agents announce them, and users paste the command
 * into a shell, where other characters could run another command.
 */
function hasValidRelease({ release }: ClusterAgent): boolean {
  return subdomainFaults(release?.name ?? '').length === 0 && labelFaults(release?.namespace ?? '').length === 0;
}

function onOneLine(text: string): string {
  return escapeControlCharacters(text.replaceAll(/\s/g, ' '));
}

/** The upgrade keeps the values of the release, except for the image tag. Values that are new in the chart get their defaults. */
function helmCommand({ release, upgradeAvailable }: ClusterAgent, { chart }: UpgradeOptions): string {
  return [
    `  helm upgrade ${release?.name} ${chart} --namespace ${release?.namespace} \\`,
    `    --reset-then-reuse-values --set image.tag=${upgradeAvailable}`,
  ].join('\n');
}
