import type { UsageSample, UsageTotal } from '../management/v1/usage/usage.ts';
import { addPeriods, noAmounts, type UsageAmounts } from './usage-amounts.ts';
import { costOf, formatCost, type Prices } from './usage-costs.ts';
import type { UsagePeriod } from './usage-periods.ts';
import { type Chunk, dayRing, fortnightRing, keptSlots, type Ring, startOfSlot } from './usage-rings.ts';

export function ringOf(period: UsagePeriod): Ring {
  return period === '24h' ? dayRing : fortnightRing;
}

/** Returns the samples and the total of all slots that are kept at the time `now`. */
export function describeUsage(
  ring: Ring,
  slots: Chunk,
  now: number,
  prices: Prices,
): { readonly total: UsageTotal; readonly samples: UsageSample[] } {
  let sum = noAmounts;
  const samples: UsageSample[] = [];
  for (const slot of keptSlots(ring, now)) {
    const amounts = slots.get(slot);
    if (amounts === undefined || amounts.seconds === 0) continue;
    sum = addPeriods(sum, amounts);
    const start = new Date(startOfSlot(ring, slot)).toISOString().replace('.000Z', 'Z');
    samples.push({ start, ...describeAmounts(amounts, prices) });
  }
  return { total: describeAmounts(sum, prices), samples };
}

/** Converts stored amounts, which are products with time, to averages. Omits amounts that were not measured. */
function describeAmounts(amounts: UsageAmounts, prices: Prices): UsageTotal {
  const { seconds, sizeSeconds, workSeconds, podSeconds, claimSeconds } = amounts;
  const average = (product: number, over: number) => (over === 0 ? 0 : round(product / over));
  const cost = costOf(amounts, prices);
  return {
    seconds: Math.round(seconds),
    requests: amounts.requests,
    watches: average(amounts.watchSeconds, seconds),
    instances: average(amounts.instanceSeconds, seconds),
    running: average(amounts.runningSeconds, seconds),
    ...(sizeSeconds === 0
      ? {}
      : {
          objects: average(amounts.objectSeconds, sizeSeconds),
          bytes: Math.round((amounts.kibSeconds / sizeSeconds) * 1024),
        }),
    ...(workSeconds === 0 ? {} : { workerSeconds: round(amounts.workMs / 1000) }),
    ...(podSeconds === 0
      ? {}
      : {
          cpuCores: average(amounts.cpuMilliSeconds / 1000, podSeconds),
          memoryBytes: Math.round((amounts.memoryKibSeconds / podSeconds) * 1024),
        }),
    ...(claimSeconds === 0 ? {} : { storageBytes: Math.round((amounts.storageKibSeconds / claimSeconds) * 1024) }),
    ...(cost === undefined ? {} : { cost: formatCost(cost) }),
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
