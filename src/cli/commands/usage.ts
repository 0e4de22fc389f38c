import type { Usage } from '../../api/management/v1/usage/usage.ts';
import { fleetUsageName, usagePeriods } from '../../api/usage/usage-periods.ts';
import { usageError } from '../cli-error.ts';
import type { CallValues, CommandCall } from '../command-call.ts';
import type { CommandRun } from '../command-spec.ts';
import { objectPath, requestObject } from '../connection/objects.ts';
import { type ServerApi, withServer } from '../connection/server-api.ts';
import { clusters, fleetUsage, projects, spaces, virtualClusters } from '../kinds.ts';
import { outputFormat } from '../output/output-format.ts';
import { formatTable } from '../output/print-table.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const period = values.text('period') ?? usagePeriods[0];
  if (!usagePeriods.some((one) => one === period)) throw usageError(`--period must be ${usagePeriods.join(' or ')}`);
  checkSubject(values);
  const format = values.text('output') === 'csv' ? undefined : await outputFormat(values);
  return await withServer(call, async (api) => {
    const ask = { path: pathOf(values, api), query: { period }, signal };
    if (format === undefined) {
      terminal.print(await api.text({ ...ask, accept: 'text/csv' }));
    } else {
      const usage = await requestObject(api, fleetUsage, ask);
      terminal.print(format.kind === 'objects' ? format.print(usage) : tableOf(usage, call));
    }
    return undefined;
  });
};

function checkSubject(values: CallValues): void {
  const given = [values.optionalArgument('name'), values.text('space'), values.text('cluster')];
  if (given.filter((one) => one !== undefined).length > 1) {
    throw usageError('the name of a virtual cluster, --space and --cluster are mutually exclusive');
  }
  if (values.text('cluster') !== undefined && values.text('project') !== undefined) {
    throw usageError('--cluster and --project are mutually exclusive');
  }
}

function pathOf(values: CallValues, api: ServerApi): string {
  const where = { project: api.access.project };
  const [name, space, cluster] = [values.optionalArgument('name'), values.text('space'), values.text('cluster')];
  if (name !== undefined) return objectPath(api, virtualClusters, where, name, 'usage');
  if (space !== undefined) return objectPath(api, spaces, where, space, 'usage');
  if (cluster !== undefined) return objectPath(api, clusters, where, cluster, 'usage');
  const project = values.text('project');
  if (project !== undefined) return objectPath(api, projects, where, project, 'usage');
  return objectPath(api, fleetUsage, where, fleetUsageName);
}

function tableOf({ total, currency = '', period }: Usage, { terminal: { colors } }: CommandCall): string {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Observed', `${observed(total.seconds)} of ${period}`],
    ['Requests', String(total.requests)],
    ['Open watches', text(total.watches)],
    ['Ready on average', `${text(total.running)} of ${text(total.instances)}`],
    ['Objects', text(total.objects)],
    ['Object size', size(total.bytes)],
    ['Worker time', total.workerSeconds === undefined ? undefined : `${text(total.workerSeconds)} s`],
    ['Pod CPU', total.cpuCores === undefined ? undefined : `${text(total.cpuCores)} cores`],
    ['Pod memory', size(total.memoryBytes)],
    ['Pod storage', size(total.storageBytes)],
    ['Cost', total.cost === undefined ? undefined : `${total.cost} ${currency}`.trimEnd()],
  ];
  return formatTable(
    ['Amount', 'Value'],
    rows.map(([name, value]) => [name, value ?? '<none>']),
    colors,
  );
}

function observed(seconds: number): string {
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}

function text(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(Math.round(value * 100) / 100);
}

function size(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const kib = bytes / 1024;
  return kib < 1024 ? `${text(kib)} KiB` : `${text(kib / 1024)} MiB`;
}
