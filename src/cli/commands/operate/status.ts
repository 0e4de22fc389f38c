import { type JsonObject, type JsonValue, listAt, numberAt, textAt, valueAt } from '@flotilla/json';
import { replicasPath } from '../../../api/replicas/replica-list.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { fetchMailState, mailStateText } from './mail-state.ts';
import { fetchStalledVirtualClusters, stalledText } from './stalled-virtual-clusters.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const list = await api.json({ path: replicasPath, signal });
    const stalled = await fetchStalledVirtualClusters(api, signal);
    const mail = await fetchMailState(api, signal);
    const items = listAt(list, 'items');
    if (format.kind === 'objects') {
      terminal.print(format.print({ ...list, ...stalled, ...(mail === undefined ? {} : { mail }) }));
      return undefined;
    }
    if (items.length === 0) terminal.print('this server does not share its store, so there are no replicas to list\n');
    else {
      const printer = new TablePrinter({ wide: format.wide, colors: terminal.colors });
      terminal.print(`${[...printer.lines(tableOf(items)), ...schemaNotes(list)].join('\n')}\n`);
    }
    terminal.print(stalledText(stalled, terminal.colors));
    terminal.print(mailStateText(mail));
    return undefined;
  });
};

const columns = ['Name', 'Version', 'Address', 'Leader', 'Shards', 'Revision', 'Lag', 'Clock', 'Settings', 'Schemas'];

function tableOf(items: readonly JsonValue[]): JsonObject {
  return {
    columnDefinitions: columns.map((name) => ({ name, priority: 0 })),
    rows: items.map((item) => ({
      cells: [
        `${textAt(item, 'name')}${valueAt(item, 'isThis') === true ? ' (this server)' : ''}`,
        textAt(item, 'version'),
        textAt(item, 'address') || '<unknown>',
        valueAt(item, 'isLeader') === true ? 'yes' : 'no',
        String(numberAt(item, 'shards') ?? 0),
        String(numberAt(item, 'revision') ?? '<unknown>'),
        seconds(numberAt(item, 'lagSeconds')),
        seconds(numberAt(item, 'clockSkewSeconds')),
        valueAt(item, 'hasSameSettings') === true ? 'same' : 'different',
        schemasOf(item),
      ],
    })),
  };
}

/** Returns the versions of the stored format that a server supports: `1`, or `1-2`. */
function schemasOf(item: JsonValue): string {
  const [lowest, highest] = listAt(item, 'schemas');
  if (lowest === undefined || highest === undefined) return '<unknown>';
  return lowest === highest ? String(lowest) : `${lowest}-${highest}`;
}

/** Returns a line for each server that prevents the others from using a newer version of the stored format. */
function schemaNotes(list: JsonValue): string[] {
  const items = listAt(list, 'items');
  const newest = Math.max(...items.map((item) => Number(listAt(item, 'schemas')[1] ?? 0)));
  return items
    .filter((item) => valueAt(item, 'isOutdated') === true)
    .map(
      (item) =>
        `${textAt(item, 'name')} does not support schema ${newest}, so the store stays at schema ${numberAt(list, 'schema') ?? '<unknown>'}; upgrade or stop this server`,
    );
}

function seconds(value: number | undefined): string {
  return value === undefined ? '<unknown>' : `${value.toFixed(1)}s`;
}
