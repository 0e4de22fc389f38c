import type { UsageAmounts } from './usage-amounts.ts';

const hour = 3600;
const kibPerGib = 1024 * 1024;

/**
 * A unit that can have a price, its description, and the function that computes the quantity of the unit from usage
 * amounts.
 */
interface PricedUnit {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  quantityIn(amounts: UsageAmounts): number;
}

/** The units that can have a price. Their names are the fields of price lists. */
export const pricedUnits = [
  {
    name: 'instanceHour',
    title: 'Instance hour',
    description: 'Price of one virtual cluster or space that is ready for an hour. Sleeping ones cost nothing.',
    quantityIn: ({ runningSeconds }) => runningSeconds / hour,
  },
  {
    name: 'objectDay',
    title: 'Object day',
    description: 'Price of one object that is stored in a virtual cluster of the built-in cluster for a day.',
    quantityIn: ({ objectSeconds }) => objectSeconds / (24 * hour),
  },
  {
    name: 'millionRequests',
    title: 'Million requests',
    description: 'Price of a million requests.',
    quantityIn: ({ requests }) => requests / 1_000_000,
  },
  {
    name: 'workerHour',
    title: 'Worker hour',
    description: 'Price of an hour for which a worker thread was busy for a virtual cluster of the built-in cluster.',
    quantityIn: ({ workMs }) => workMs / 1000 / hour,
  },
  {
    name: 'cpuHour',
    title: 'CPU hour',
    description: 'Price of one CPU core that pods use for an hour.',
    quantityIn: ({ cpuMilliSeconds }) => cpuMilliSeconds / 1000 / hour,
  },
  {
    name: 'memoryGibHour',
    title: 'Memory GiB hour',
    description: 'Price of one GiB of memory that pods use for an hour.',
    quantityIn: ({ memoryKibSeconds }) => memoryKibSeconds / kibPerGib / hour,
  },
  {
    name: 'storageGibHour',
    title: 'Storage GiB hour',
    description: 'Price of one GiB of persistent volume claims for an hour.',
    quantityIn: ({ storageKibSeconds }) => storageKibSeconds / kibPerGib / hour,
  },
] as const satisfies readonly PricedUnit[];

export type PricedUnitName = (typeof pricedUnits)[number]['name'];
/** The prices of units as decimal numbers. A unit without a price is free. */
export type Prices = Readonly<Partial<Record<PricedUnitName, string>>>;

/**
 * Matches the prices that a price list may contain. Prices have no sign and no exponent, so sums of costs are
 * sufficiently exact.
 */
export const pricePattern = '^[0-9]{1,9}(\\.[0-9]{1,9})?$';

/** Returns the cost of amounts with the given prices. `undefined` if no unit has a price. */
export function costOf(amounts: UsageAmounts, prices: Prices): number | undefined {
  const priced = pricedUnits.filter(({ name }) => prices[name] !== undefined);
  if (priced.length === 0) return undefined;
  return priced.reduce((sum, { name, quantityIn }) => sum + Number(prices[name]) * quantityIn(amounts), 0);
}

/** Formats a cost. Small costs get more decimals. */
export function formatCost(cost: number): string {
  return cost.toFixed(cost !== 0 && cost < 0.1 ? 6 : 2);
}
