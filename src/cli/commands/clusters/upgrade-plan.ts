import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { readAgentVersion } from '../../../api/agent/agent-versions.ts';
import type { Cluster } from '../../../api/management/v1/cluster.ts';
import type { ClusterAgent } from '../../../api/management/v1/cluster-agent.ts';

/** A Helm release whose agents are older than the server. */
export interface ReleaseUpgrade {
  readonly name: string;
  readonly namespace: string;
  readonly version: string;
  /** The names of the outdated agents in the release. */
  readonly agents: readonly string[];
  /**
   * The outdated agents, without agents that are known to be disconnected. After the upgrade, the agents in this list
   * must announce the new version.
   */
  readonly connected: readonly string[];
}

/** The agents of a cluster that are older than the server, by the way in which they are upgraded. */
export interface UpgradePlan {
  readonly releases: readonly ReleaseUpgrade[];
  /** The agents whose release or version has an invalid format. These values must not become part of a command. */
  readonly invalid: readonly ClusterAgent[];
  /** The agents that were not installed with Helm. */
  readonly processes: readonly ClusterAgent[];
}

export function upgradePlan({ status }: Pick<Cluster, 'status'>): UpgradePlan {
  const outdated = (status?.agents ?? []).filter(({ upgradeAvailable }) => upgradeAvailable !== undefined);
  const inRelease = outdated.filter(({ release }) => release !== undefined);
  const releases = new Map<string, ReleaseUpgrade>();
  for (const { name: agent, release, upgradeAvailable: version = '', connected } of inRelease.filter(isValid)) {
    const { name = '', namespace = '' } = release ?? {};
    const key = `${namespace}/${name}`;
    const known = releases.get(key);
    releases.set(key, {
      name,
      namespace,
      version,
      agents: [...(known?.agents ?? []), agent],
      connected: [...(known?.connected ?? []), ...(connected === false ? [] : [agent])],
    });
  }
  return {
    releases: [...releases.values()],
    invalid: inRelease.filter((agent) => !isValid(agent)),
    processes: outdated.filter(({ release }) => release === undefined),
  };
}

/**
 * True if the release has the format of Kubernetes names, and the version the format of versions. Agents and the server
 * determine these values, which become arguments of helm. Other characters could have a special meaning for helm.
 */
function isValid({ release, upgradeAvailable = '' }: ClusterAgent): boolean {
  const isName =
    subdomainFaults(release?.name ?? '').length === 0 && labelFaults(release?.namespace ?? '').length === 0;
  return isName && readAgentVersion(upgradeAvailable) !== undefined;
}

/** Returns the arguments of helm. The upgrade keeps the values of the release; values that are new in the chart get defaults. */
export function helmArguments({ name, namespace, version }: ReleaseUpgrade, chart: string): string[] {
  const values = ['--reset-then-reuse-values', '--set', `image.tag=${version}`];
  return ['upgrade', name, chart, '--namespace', namespace, ...values];
}
