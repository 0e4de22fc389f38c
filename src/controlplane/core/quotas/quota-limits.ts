import { type JsonValue, objectAt } from '@flotilla/json';
import { resourceQuotaKind } from '../../../api/core/resource-quota.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { forbidden } from '../../../api/status.ts';

/**
 * The maximum number of quotas in a namespace, and of the resources in the `hard` of all of them. Each create in the
 * namespace updates the status of all its quotas.
 */
export const maxQuotas = 100;
export const maxLimitedResources = 1_000;

/**
 * Throws 403 if a write exceeds the limits of its namespace. `others` are the other quotas in the namespace. A quota that
 * is already beyond the limits can be changed, unless it gets more resources. Concurrent creates may exceed the limits by
 * their number.
 */
export function refuseBeyondQuotaLimits(
  quota: KubeObject,
  old: KubeObject | undefined,
  others: readonly KubeObject[],
): void {
  const refuse = (detail: string) => forbidden(groupResourceOf(resourceQuotaKind), quota.metadata.name ?? '', detail);
  if (old === undefined && others.length >= maxQuotas) {
    throw refuse(`a namespace can have at most ${maxQuotas} resource quotas; limit more resources in one of them`);
  }
  const own = limitedResources(quota);
  if (old !== undefined && own <= limitedResources(old)) return;
  const total = others.reduce((sum, other) => sum + limitedResources(other), own);
  if (total <= maxLimitedResources) return;
  throw refuse(
    `the resource quotas of a namespace can limit at most ${maxLimitedResources} resources together, but would limit ${total}`,
  );
}

function limitedResources(quota: KubeObject): number {
  return Object.keys(objectAt(quota as JsonValue, 'spec', 'hard') ?? {}).length;
}
