import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { clusterVirtualClusters } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { formatTable } from '../../output/print-table.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const cluster = values.argument('cluster');
    const path = api.managementPath('clusters', cluster, 'virtualclusters');
    const response = await requestObject(api, clusterVirtualClusters, { path, signal });
    if (format.kind === 'objects') {
      terminal.print(format.print(response));
      return undefined;
    }
    const all = response.virtualClusters;
    const isImportable = ({ instance = '' }: (typeof all)[number]) => instance === '';
    const shown = values.flag('all') ? all : all.filter(isImportable);
    if (shown.length === 0) {
      terminal.printToStderr(`no virtual clusters to import on cluster "${cluster}"\n`);
      return undefined;
    }
    const rows = shown.map((entry) => [
      `${cluster}/${entry.namespace}/${entry.name}`,
      entry.status || '<none>',
      entry.version || '<none>',
      isImportable(entry) ? '<none>' : `${entry.project ?? ''}/${entry.instance}`,
    ]);
    terminal.print(formatTable(['Source', 'Status', 'Version', 'Instance'], rows, terminal.colors));
    return undefined;
  });
};
