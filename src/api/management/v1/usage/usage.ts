import { column } from '../../../columns.ts';
import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import type { ObjectOf } from '../../../resource.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';
import { usagePeriods } from '../../../usage/usage-periods.ts';

const amounts = {
  seconds: t.integer({ description: 'Time that was observed, in seconds. Shorter if no server was running.' }),
  requests: t.integer({ description: 'Number of requests through the gateway.' }),
  watches: t.number({ description: 'Average number of open watches.' }),
  instances: t.number({ description: 'Average number of virtual clusters and spaces.' }),
  running: t.number({ description: 'Average number of virtual clusters and spaces that were ready.' }),
  objects: t.optional(t.number({ description: 'Average number of stored objects. Absent if it was not measured.' })),
  bytes: t.optional(
    t.number({ description: 'Average size of the stored objects in memory, in bytes. Absent if it was not measured.' }),
  ),
  workerSeconds: t.optional(
    t.number({ description: 'Time for which worker threads were busy, in seconds. Absent if it was not measured.' }),
  ),
  cpuCores: t.optional(
    t.number({ description: 'Average CPU that pods used, in cores. Absent if the host serves no metrics of pods.' }),
  ),
  memoryBytes: t.optional(
    t.number({ description: 'Average memory that pods used, in bytes. Absent if the host serves no metrics of pods.' }),
  ),
  storageBytes: t.optional(
    t.number({ description: 'Average capacity of persistent volume claims, in bytes. Absent if it was not measured.' }),
  ),
  cost: t.optional(t.string({ description: 'Cost with the current prices. Absent if there are no prices.' })),
};

const total = t.object(amounts, { description: 'Usage in the whole period.' });

const sample = t.object({ start: t.timestamp({ description: 'Start of the sample.' }), ...amounts });

const schema = t.object({
  period: t.enumOf(usagePeriods, { description: 'The period until now: 24h or 14d.' }),
  sampleSeconds: t.integer({ description: 'Length of one sample in seconds: 300 in 24 hours, 3600 in 14 days.' }),
  currency: t.optional(t.string({ description: 'Currency of the costs, from the price list.' })),
  total,
  samples: t.array(sample, {
    listType: 'atomic',
    description: 'The samples, oldest first. Times for which there is no sample were not observed.',
  }),
});

export type UsageTotal = Static<typeof total>;
export type UsageSample = Static<typeof sample>;

type ColumnFields = Partial<Pick<Static<typeof schema>, 'total'>>;

export const usageKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'Usage',
  plural: 'usages',
  singular: 'usage',
  namespaced: false,
  description:
    'The usage of a virtual cluster, space, project, cluster or of the whole installation (the object "fleet") in the last 24 hours or 14 days.',
  schema,
  columns: [
    column('Period', 'period', { description: 'Period until now.' }),
    column('Requests', 'total.requests', { type: 'integer', description: 'Number of requests.' }),
    column<ColumnFields>('Running', ({ total }) => rounded(total?.running), {
      description: 'Average number that were ready.',
    }),
    column<ColumnFields>('Objects', ({ total }) => rounded(total?.objects), {
      description: 'Average number of stored objects.',
    }),
    column('Cost', 'total.cost', { description: 'Cost with the current prices.' }),
    column('Currency', 'currency', { description: 'Currency of the cost.' }),
  ],
});

export type Usage = ObjectOf<typeof usageKind>;

function rounded(value: number | undefined): string | undefined {
  return value !== undefined ? String(Math.round(value * 100) / 100) : undefined;
}
