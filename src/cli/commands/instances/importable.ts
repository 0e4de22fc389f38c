import { listAt, textAt } from '../../../lib/json-path.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';
import { plainTable } from '../../output/print-table.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const cluster = values.argument('cluster');
    const response = await api.json({ path: api.managementPath('clusters', cluster, 'virtualclusters'), signal });
    if (format.kind === 'objects') {
      terminal.print(format.print(response));
      return undefined;
    }
    const isImportable = (entry: (typeof all)[number]) => textAt(entry, 'instance') === '';
    const all = listAt(response, 'virtualClusters');
    const shown = values.flag('all') ? all : all.filter(isImportable);
    if (shown.length === 0) {
      terminal.printToStderr(`no virtual clusters to import on cluster "${cluster}"\n`);
      return undefined;
    }
    const rows = shown.map((entry) => [
      `${cluster}/${textAt(entry, 'namespace')}/${textAt(entry, 'name')}`,
      textAt(entry, 'status') || '<none>',
      textAt(entry, 'version') || '<none>',
      isImportable(entry) ? '<none>' : `${textAt(entry, 'project')}/${textAt(entry, 'instance')}`,
    ]);
    terminal.print(plainTable(['Source', 'Status', 'Version', 'Instance'], rows, terminal.colors));
    return undefined;
  });
};
