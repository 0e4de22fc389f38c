import type { CommandRun } from '../../command-spec.ts';
import { getObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { clusters } from '../../kinds.ts';
import { defaultChart } from './join-commands.ts';
import { upgradeLines } from './upgrade-lines.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const cluster = values.argument('name');
  return await withServer(call, async (api) => {
    const found = await getObject(api, clusters, { signal }, cluster);
    const chart = values.text('chart') ?? defaultChart;
    for (const line of upgradeLines(found, { cluster, chart })) terminal.print(`${line}\n`);
    return undefined;
  });
};
