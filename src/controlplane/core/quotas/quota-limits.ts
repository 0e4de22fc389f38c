import { type JsonValue, listAt, objectAt } from '@flotilla/json';
import { resourceQuotaKind } from '../../../api/core/resource-quota.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { groupResourceOf } from '../../../api/resource.ts';
import { forbidden } from '../../../api/status.ts';

/**
 * The maximum number of quotas in a namespace. The following constants limit, for all quotas of a namespace together,
 * the number of resources in `hard` and the number of scopes. The limits are needed because each create in the
 * namespace updates the status of all its quotas and compares the object with their scopes.
 */
export const maxQuotas = 100;
export const maxLimitedResources = 1_000;
const maxScopes = 1_000;

/**
 * Throws 403 if a write of a quota exceeds the limits for quotas in its namespace. `others` are the other quotas in the
 * namespace. If the limits are already exceeded, quotas can still be changed, unless the change adds resources or
 * scopes. Concurrent creates can exceed the limits, each by one quota.
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
  const total = (count: (one: KubeObject) => number) => {
    const own = count(quota);
    return old !== undefined && own <= count(old) ? 0 : others.reduce((sum, other) => sum + count(other), own);
  };
  const resources = total(limitedResources);
  if (resources > maxLimitedResources) {
    throw refuse(
      `the resource quotas of a namespace can limit at most ${maxLimitedResources} resources together, but would limit ${resources}`,
    );
  }
  const scopes = total(scopesOf);
  if (scopes > maxScopes) {
    throw refuse(
      `the resource quotas of a namespace can have at most ${maxScopes} scopes together, but would have ${scopes}; list a scope once in a quota`,
    );
  }
}

function limitedResources(quota: KubeObject): number {
  return Object.keys(objectAt(quota as JsonValue, 'spec', 'hard') ?? {}).length;
}

function scopesOf(quota: KubeObject): number {
  const spec = objectAt(quota as JsonValue, 'spec') ?? {};
  return listAt(spec, 'scopes').length + listAt(spec, 'scopeSelector', 'matchExpressions').length;
}
