import type { Cluster } from '../../../api/management/v1/cluster.ts';
import { CliError, exitCodes, timeoutError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import { followObject, withTimeout } from '../../connection/follow-object.ts';
import type { ServerApi } from '../../connection/server-api.ts';
import { clusters } from '../../kinds.ts';
import { Progress } from '../../output/progress.ts';
import { runHelm } from './run-helm.ts';
import { helmArguments, type ReleaseUpgrade } from './upgrade-plan.ts';

export interface UpgradeRun {
  readonly cluster: string;
  readonly chart: string;
  readonly releases: readonly ReleaseUpgrade[];
  /** The maximum time for all releases together, in milliseconds. */
  readonly milliseconds: number;
}

/**
 * Upgrades the releases one after the other. During the upgrade of a release, the agents of the other releases serve
 * the cluster. A release counts as upgraded when its agents have announced the new version to the server.
 */
export async function runUpgrades(api: ServerApi, upgrade: UpgradeRun, call: CommandCall): Promise<void> {
  const { values, terminal } = call;
  const end = performance.now() + upgrade.milliseconds;
  const access = ['kubeconfig', 'kube-context'].flatMap((option) => {
    const value = values.text(option);
    return value === undefined ? [] : [`--${option}`, value];
  });
  for (const release of upgrade.releases) {
    const remaining = Math.ceil((end - performance.now()) / 1000);
    if (remaining <= 0) throw timeoutError(`timed out before the upgrade of release "${release.name}"`);
    const wait = ['--wait', '--timeout', `${remaining}s`];
    await runHelm([...helmArguments(release, upgrade.chart), ...wait, ...access], call);
    const milliseconds = Math.max(end - performance.now(), 0);
    await waitForVersion(api, { cluster: upgrade.cluster, release, milliseconds }, call);
    terminal.print(`release "${release.name}" in namespace "${release.namespace}" upgraded to ${release.version}\n`);
  }
}

interface VersionWait extends Pick<UpgradeRun, 'cluster' | 'milliseconds'> {
  readonly release: ReleaseUpgrade;
}

async function waitForVersion(
  api: ServerApi,
  { cluster, release, milliseconds }: VersionWait,
  { terminal, interrupted }: CommandCall,
): Promise<void> {
  const progress = new Progress(terminal);
  const subject = `the agents of release "${release.name}" to announce version ${release.version}`;
  let missing: readonly string[] = [];
  const timeoutMessage = () =>
    `timed out waiting for ${subject}: ${missing.join(', ')} did not; see the log of the pods, and whether the release sets image.digest`;
  try {
    await withTimeout(milliseconds, interrupted, timeoutMessage, async (signal) => {
      const onConnectionError = (error: unknown) =>
        progress.busy(error instanceof Error ? error.message : 'the server does not respond');
      for await (const found of followObject(api, clusters, cluster, { signal, onConnectionError })) {
        if (found === undefined)
          throw new CliError(`cluster "${cluster}" was deleted in the meantime`, { exitCode: exitCodes.notFound });
        missing = outdatedAgents(found, release);
        if (missing.length === 0) {
          progress.done(`version ${release.version} announced`);
          return;
        }
        progress.busy(`waiting for ${subject}: ${missing.join(', ')}`);
      }
      throw new CliError('the server ended the watch');
    });
  } finally {
    progress.end();
  }
}

/**
 * Returns the agents that have not announced the new version. If no agent of the release was connected before the
 * upgrade, one agent with the new version suffices.
 */
function outdatedAgents({ status }: Pick<Cluster, 'status'>, { agents, connected }: ReleaseUpgrade): readonly string[] {
  const isCurrent = (name: string) => {
    const agent = status?.agents?.find((each) => each.name === name);
    return agent?.version !== undefined && agent.upgradeAvailable === undefined;
  };
  if (connected.length === 0) return agents.some(isCurrent) ? [] : agents;
  return connected.filter((name) => !isCurrent(name));
}
