import { isJsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { projectOfNamespace } from '../../../api/naming.ts';
import { quarantinedReason } from '../../../api/quarantined-reason.ts';
import { StatusError } from '../../../api/status.ts';
import { escapeControlCharacters } from '../../../client/escape-controls.ts';
import { listObjects } from '../../connection/objects.ts';
import type { ServerApi } from '../../connection/server-api.ts';
import { virtualClusters } from '../../kinds.ts';
import type { Colors } from '../../output/colors.ts';
import { formatTable } from '../../output/print-table.ts';

/**
 * The virtual clusters that caused the replacement of worker threads. A member is absent if the caller may not read it.
 */
export interface StalledVirtualClusters {
  /** The virtual clusters in quarantine, on all clusters. */
  readonly quarantined?: QuarantinedVirtualCluster[];
  /** The worker threads of the built-in cluster that were replaced in the last hour. Events are kept for an hour. */
  readonly replacedWorkers?: ReplacedWorker[];
}

type QuarantinedVirtualCluster = {
  readonly project: string;
  readonly name: string;
  readonly cluster: string;
  readonly message: string;
};

type ReplacedWorker = {
  readonly time: string;
  readonly namespace: string;
  readonly virtualCluster: string;
  readonly quarantined: boolean;
  readonly message: string;
};

/** The reasons of the events that the server writes when it replaces a worker thread. */
const eventReasons: readonly string[] = ['WorkerReplaced', quarantinedReason];

export async function fetchStalledVirtualClusters(
  api: ServerApi,
  signal: AbortSignal,
): Promise<StalledVirtualClusters> {
  const [quarantined, replacedWorkers] = await Promise.all([
    unlessForbidden(fetchQuarantined(api, signal)),
    unlessForbidden(fetchReplacedWorkers(api, signal)),
  ]);
  return {
    ...(quarantined === undefined ? {} : { quarantined }),
    ...(replacedWorkers === undefined ? {} : { replacedWorkers }),
  };
}

async function unlessForbidden<T>(fetching: Promise<T>): Promise<T | undefined> {
  return await fetching.catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 403) return undefined;
    throw error;
  });
}

async function fetchQuarantined(api: ServerApi, signal: AbortSignal): Promise<QuarantinedVirtualCluster[]> {
  const { items } = await listObjects(api, virtualClusters, { signal }, { fieldSelector: 'status.phase=Failed' });
  return items
    .filter(({ status }) => status?.reason === quarantinedReason)
    .map(({ metadata, spec, status }) => ({
      project: projectOfNamespace(metadata.namespace ?? '') ?? '',
      name: metadata.name ?? '',
      cluster: spec?.clusterRef?.cluster ?? '',
      message: status?.message ?? '',
    }));
}

async function fetchReplacedWorkers(api: ServerApi, signal: AbortSignal): Promise<ReplacedWorker[]> {
  const path = `/${api.access.apiPrefix}/cluster/local/api/v1/events`;
  const query = { fieldSelector: 'type=Warning,involvedObject.kind=VirtualCluster' };
  const time = (event: JsonValue) => textAt(event, 'lastTimestamp');
  return listAt(await api.json({ path, query, signal }), 'items')
    .filter(isJsonObject)
    .filter((event) => eventReasons.includes(textAt(event, 'reason')))
    .sort((a, b) => time(a).localeCompare(time(b)))
    .map((event) => ({
      time: time(event),
      namespace: textAt(event, 'involvedObject', 'namespace'),
      virtualCluster: textAt(event, 'involvedObject', 'name'),
      quarantined: textAt(event, 'reason') === quarantinedReason,
      message: textAt(event, 'message'),
    }));
}

/** Describes the virtual clusters for people. */
export function stalledText({ quarantined, replacedWorkers }: StalledVirtualClusters, colors: Colors): string {
  return [
    section(quarantined, {
      title: 'Virtual clusters in quarantine (flotilla lift-quarantine NAME -p PROJECT lifts it):',
      none: 'no virtual cluster is in quarantine',
      table: (items) =>
        formatTable(
          ['Project', 'Name', 'Cluster', 'Message'],
          items.map(({ project, name, cluster, message }) => escaped([project, name, cluster, message])),
          colors,
        ),
    }),
    section(replacedWorkers, {
      title: 'Worker threads that were replaced in the last hour, with the virtual clusters that they ran:',
      none: 'no worker thread was replaced in the last hour',
      table: (items) =>
        formatTable(
          ['Time', 'Namespace', 'Virtual cluster', 'Message'],
          items.map(({ time, namespace, virtualCluster, message }) =>
            escaped([time, namespace, virtualCluster, message]),
          ),
          colors,
        ),
    }),
  ].join('');
}

interface Section<Item> {
  readonly title: string;
  readonly none: string;
  table(items: readonly Item[]): string;
}

function section<Item>(items: readonly Item[] | undefined, { title, none, table }: Section<Item>): string {
  if (items === undefined) return '';
  return items.length === 0 ? `${none}\n` : `\n${title}\n${table(items)}`;
}

function escaped(cells: readonly string[]): string[] {
  return cells.map((cell) => escapeControlCharacters(cell));
}
