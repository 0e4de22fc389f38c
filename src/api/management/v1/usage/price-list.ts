import { ageColumn, column } from '../../../columns.ts';
import { defineKind } from '../../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../../naming.ts';
import type { ObjectOf } from '../../../resource.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';
import { type PricedUnitName, pricedUnits, pricePattern } from '../../../usage/usage-costs.ts';

const price = (name: PricedUnitName) => {
  const description = pricedUnits.find((unit) => unit.name === name)?.description ?? '';
  return t.optional(t.string({ pattern: pricePattern, description: `${description} A decimal number, such as 0.05.` }));
};

const spec = t.object(
  {
    currency: t.string({
      pattern: '^[A-Za-z€$£¥₹][A-Za-z€$£¥₹ ]{0,11}$',
      description: 'Currency of the prices, such as EUR.',
    }),
    prices: t.optional(
      t.object(
        {
          instanceHour: price('instanceHour'),
          objectDay: price('objectDay'),
          millionRequests: price('millionRequests'),
          workerHour: price('workerHour'),
          cpuHour: price('cpuHour'),
          memoryGibHour: price('memoryGibHour'),
          storageGibHour: price('storageGibHour'),
        },
        { description: 'Prices by unit. Units without a price are free.' },
      ),
    ),
  },
  { description: 'The currency and the prices.' },
);

const schema = t.object({ spec: t.optional(spec) });

export type PriceListSpec = Static<typeof spec>;

export const priceListKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'PriceList',
  plural: 'pricelists',
  singular: 'pricelist',
  categories: [managementCategory],
  namespaced: false,
  description:
    'The prices of usage. Only the object "default" exists. Its current prices apply to all costs, also for past usage.',
  schema,
  columns: [column('Currency', 'spec.currency', { description: 'Currency of the prices.' }), ageColumn],
});

export type PriceList = ObjectOf<typeof priceListKind>;
