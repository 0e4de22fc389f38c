import type { JsonObject } from '@flotilla/json';
import type { ReplicaList, ReplicaStatus } from '../../../api/replicas/replica-list.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { replicasEndpoint, requestEndpoint } from '../../endpoints.ts';
import { outputFormat } from '../../output/output-format.ts';
import { TablePrinter } from '../../output/print-table.ts';
import { fetchMailState, mailStateText } from './mail-state.ts';
import { fetchStalledVirtualClusters, stalledText } from './stalled-virtual-clusters.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withServer(call, async (api) => {
    const { json, body: list } = await requestEndpoint(api, replicasEndpoint, { signal });
    const stalled = await fetchStalledVirtualClusters(api, signal);
    const mail = await fetchMailState(api, signal);
    const { items = [] } = list;
    if (format.kind === 'objects') {
      terminal.print(format.print({ ...json, ...stalled, ...(mail === undefined ? {} : { mail: mail.json }) }));
      return undefined;
    }
    if (items.length === 0) terminal.print('this server does not share its store, so there are no replicas to list\n');
    else {
      const printer = new TablePrinter({ wide: format.wide, colors: terminal.colors });
      terminal.print(`${[...printer.lines(tableOf(items)), ...schemaNotes(list)].join('\n')}\n`);
    }
    terminal.print(stalledText(stalled, terminal.colors));
    terminal.print(mailStateText(mail?.body));
    return undefined;
  });
};

const columns = ['Name', 'Version', 'Address', 'Leader', 'Shards', 'Revision', 'Lag', 'Clock', 'Settings', 'Schemas'];

/** A server in the response. A server of another version may omit members. */
type ListedReplica = Partial<ReplicaStatus>;

function tableOf(items: readonly ListedReplica[]): JsonObject {
  return {
    columnDefinitions: columns.map((name) => ({ name, priority: 0 })),
    rows: items.map((item) => ({
      cells: [
        `${item.name ?? ''}${item.isThis === true ? ' (this server)' : ''}`,
        item.version ?? '',
        item.address || '<unknown>',
        item.isLeader === true ? 'yes' : 'no',
        String(item.shards ?? 0),
        String(item.revision ?? '<unknown>'),
        seconds(item.lagSeconds),
        seconds(item.clockSkewSeconds),
        item.hasSameSettings === true ? 'same' : 'different',
        schemasOf(item),
      ],
    })),
  };
}

/** Returns the versions of the stored format that a server supports: `1`, or `1-2`. */
function schemasOf({ schemas }: ListedReplica): string {
  if (schemas === undefined) return '<unknown>';
  const [lowest, highest] = schemas;
  return lowest === highest ? String(lowest) : `${lowest}-${highest}`;
}

/** Returns a line for each server that prevents the other servers from using a newer version of the stored format. */
function schemaNotes({ items = [], schema }: Partial<ReplicaList>): string[] {
  const replicas: readonly ListedReplica[] = items;
  const newest = Math.max(...replicas.map(({ schemas }) => schemas?.[1] ?? 0));
  return replicas
    .filter(({ isOutdated }) => isOutdated === true)
    .map(
      ({ name = '' }) =>
        `${name} does not support schema ${newest}, so the store stays at schema ${schema ?? '<unknown>'}; upgrade or stop this server`,
    );
}

function seconds(value: number | undefined): string {
  return value === undefined ? '<unknown>' : `${value.toFixed(1)}s`;
}
