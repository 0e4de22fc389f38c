import type { Cluster } from '../../../api/management/v1/cluster.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { helmArguments, type UpgradePlan, upgradePlan } from './upgrade-plan.ts';

export interface UpgradeOptions {
  readonly cluster: string;
  /** The chart in the printed commands. */
  readonly chart: string;
}

/**
 * Returns lines with the commands that upgrade the agents of a cluster to the version of the server: one helm command per
 * release, and a line for each agent that helm cannot upgrade.
 */
export function upgradeLines(cluster: Pick<Cluster, 'status'>, options: UpgradeOptions): readonly string[] {
  const plan = upgradePlan(cluster);
  const commands = plan.releases.map((release) => {
    const words = helmArguments(release, options.chart);
    const at = words.indexOf('--reset-then-reuse-values');
    return `  helm ${words.slice(0, at).join(' ')} \\\n    ${words.slice(at).join(' ')}`;
  });
  return [
    ...currentLines(cluster, plan, options),
    ...(commands.length === 0 ? [] : ['Run with a kubeconfig of the cluster:', '', ...commands, '']),
    ...manualLines(plan),
  ];
}

/** Returns a line with the reason why there is nothing to upgrade; an empty list if an agent is outdated. */
export function currentLines(
  { status }: Pick<Cluster, 'status'>,
  { releases, invalid, processes }: UpgradePlan,
  { cluster }: Pick<UpgradeOptions, 'cluster'>,
): readonly string[] {
  if ((status?.agents ?? []).length === 0) return [`cluster "${cluster}" has no agent`];
  if (releases.length + invalid.length + processes.length > 0) return [];
  return [`the agents of cluster "${cluster}" have the version of the server or a newer one`];
}

/** Returns a line for each outdated agent that helm cannot upgrade. */
export function manualLines({ invalid, processes }: UpgradePlan): readonly string[] {
  return [
    ...invalid.map(
      ({ name }) =>
        `The agent ${name} has announced an invalid Helm release. If you did not expect this, delete its access key.`,
    ),
    ...processes.map(({ name, hostname, version, upgradeAvailable }) => {
      const where = hostname === undefined ? '' : ` on ${onOneLine(hostname)}`;
      return `The agent ${name}${where} was not installed with Helm: replace version ${version} with ${upgradeAvailable} there, and restart it with the same data directory.`;
    }),
  ];
}

function onOneLine(text: string): string {
  return escapeControlCharacters(text.replaceAll(/\s/g, ' '));
}
