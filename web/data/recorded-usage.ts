import { queryOptions } from '@tanstack/react-query';
import type { Usage } from '../../src/api/management/v1/usage/usage.ts';
import { fleetUsageName, type UsagePeriod } from '../../src/api/usage/usage-periods.ts';
import { managementRoot } from './api-root.ts';
import { type KindRef, kinds, type ObjectKey, objectUrl } from './kind-ref.ts';
import { send, sendJson } from './send.ts';

/** The object whose usage is shown. */
export interface UsageOwner {
  readonly kind: KindRef;
  readonly place: ObjectKey;
}

/** The whole installation. */
export const fleetOwner: UsageOwner = { kind: kinds.usage, place: { name: fleetUsageName } };

/** The polling interval. Usage changes about once a minute. */
const refetchMs = 60_000;

function urlOf({ kind, place }: UsageOwner, period: UsagePeriod): string {
  const subresource = kind === kinds.usage ? undefined : 'usage';
  return `${objectUrl(managementRoot, kind, place, subresource)}?period=${period}`;
}

export function recordedUsageQuery(owner: UsageOwner, period: UsagePeriod) {
  const url = urlOf(owner, period);
  return queryOptions({
    queryKey: ['recorded-usage', url],
    queryFn: async ({ signal }): Promise<Usage> => await sendJson<Usage>({ url, signal }),
    refetchInterval: refetchMs,
  });
}

export async function readUsageCsv(owner: UsageOwner, period: UsagePeriod): Promise<string> {
  const response = await send({ method: 'GET', url: urlOf(owner, period), accept: 'text/csv' });
  return await response.text();
}
