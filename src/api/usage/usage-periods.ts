/** The values of the parameter `period` of usage. */
export const usagePeriods = ['24h', '14d'] as const;
export type UsagePeriod = (typeof usagePeriods)[number];

/** The name of the object with the usage of the whole installation. */
export const fleetUsageName = 'fleet';

/** The name of the only price list. */
export const priceListName = 'default';
