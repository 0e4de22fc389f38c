import { CliError, usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { getObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import { clusters } from '../../kinds.ts';
import { defaultChart } from './join-commands.ts';
import { runUpgrades } from './run-upgrades.ts';
import { currentLines, manualLines, upgradeLines } from './upgrade-lines.ts';
import { upgradePlan } from './upgrade-plan.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const cluster = values.argument('name');
  const chart = values.text('chart') ?? defaultChart;
  const runs = values.flag('run');
  for (const option of ['kubeconfig', 'kube-context', 'timeout'])
    if (!runs && values.text(option) !== undefined) throw usageError(`--${option} requires --run`);
  const milliseconds = timeoutFromOptions(values);
  return await withServer(call, async (api) => {
    const found = await getObject(api, clusters, { signal }, cluster);
    const print = (lines: readonly string[]) => terminal.print(lines.map((line) => `${line}\n`).join(''));
    if (!runs) {
      print(upgradeLines(found, { cluster, chart }));
      return undefined;
    }
    const plan = upgradePlan(found);
    print(currentLines(found, plan, { cluster }));
    await runUpgrades(api, { cluster, chart, releases: plan.releases, milliseconds }, call);
    const manual = manualLines(plan);
    print(manual);
    if (manual.length > 0)
      throw new CliError(`helm cannot upgrade ${manual.length} of the agents of cluster "${cluster}"`);
    return undefined;
  });
};
