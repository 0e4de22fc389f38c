import { equalJson, type JsonObject, type JsonValue, objectAt, textAt } from '@flotilla/json';
import { type Quantity, quantityOfCount } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../api/meta.ts';
import type { StoredResource } from '../../../registry/resource.ts';
import { resourceKey } from '../../../registry/rows/rows.ts';
import type { Usage } from './measured-kind.ts';
import { measuredKind, measuredKindOf } from './measured-kinds.ts';
import { objectCountNames } from './quota-names.ts';
import { type ObjectScopes, type ScopeSelector, scopeSelectorOf } from './quota-scopes.ts';

/** An object with the properties that quotas measure. */
export interface MeasuredObject {
  readonly usage: Usage;
  readonly scopes: ObjectScopes;
}

const [noUsage, noScopes]: [Usage, ObjectScopes] = [new Map(), new Map()];

/** Returns the quota names under which objects of a kind are counted, such as `secrets` and `count/secrets`. */
function countNamesOf(resource: StoredResource): readonly string[] {
  const key = resourceKey(resource);
  return resource.group === '' && objectCountNames.has(key) ? [key, `count/${key}`] : [`count/${key}`];
}

export function measure(resource: StoredResource, object: KubeObject): MeasuredObject {
  const kind = measuredKind(resourceKey(resource));
  if (kind !== undefined) return { usage: kind.amountsOf(object), scopes: kind.scopesOf?.(object) ?? noScopes };
  return { usage: new Map(countNamesOf(resource).map((name) => [name, quantityOfCount(1)])), scopes: noScopes };
}

/** Returns the usage of an object within a quota with these scopes. */
export function usageWithin(selector: ScopeSelector, object: MeasuredObject | undefined): Usage {
  return object !== undefined && selector.matches(object.scopes) ? object.usage : noUsage;
}

/** Returns the amounts by which the usage `next` exceeds the usage `before`. Omits amounts that did not increase. */
export function addedUsage(before: Usage, next: Usage): Usage {
  const added = new Map<string, Quantity>();
  for (const [name, { billionths, format }] of next) {
    const more = billionths - (before.get(name)?.billionths ?? 0n);
    if (more > 0n) added.set(name, { billionths: more, format });
  }
  return added;
}

/** Returns the amounts by which a write increases the usage within a quota. `before` is absent for a new object. */
export function addedWithin(quota: KubeObject, before: MeasuredObject | undefined, next: MeasuredObject): Usage {
  const selector = scopeSelectorOf(quota);
  return addedUsage(usageWithin(selector, before), usageWithin(selector, next));
}

/** True if the change of an object changes the usage of a quota. */
export function changesUsage(resource: StoredResource, old: KubeObject, next: KubeObject): boolean {
  if (measuredKind(resourceKey(resource)) === undefined) return false;
  const [before, after] = [measure(resource, old), measure(resource, next)];
  if (before.usage.size !== after.usage.size || before.scopes.size !== after.scopes.size) return true;
  if ([...after.usage].some(([name, { billionths }]) => before.usage.get(name)?.billionths !== billionths)) return true;
  return [...after.scopes].some(([scope, values]) => !equalJson([...values], [...(before.scopes.get(scope) ?? ['-'])]));
}

/**
 * Returns the resource key of the kind that a quota name limits; `undefined` if the name does not limit objects of one
 * kind.
 */
export function limitedResource(name: string): string | undefined {
  if (objectCountNames.has(name)) return name;
  return name.startsWith('count/') ? name.slice('count/'.length) : measuredKindOf(name)?.resource;
}

/** True if a quota limits objects of a kind. The quota limits only the objects that are in its scopes. */
export function limits(quota: KubeObject, resource: StoredResource): boolean {
  const measured = measuredKind(resourceKey(resource));
  if (measured !== undefined) return Object.keys(hardAmounts(quota)).some((name) => measured.measures(name));
  return countNamesOf(resource).some((name) => hardOf(quota, name) !== undefined);
}

export function hasStatus(quota: KubeObject, status: JsonObject): boolean {
  return equalJson(status, objectAt(quota as JsonValue, 'status') ?? {});
}

export function hardAmounts(quota: KubeObject): JsonObject {
  return objectAt(quota as JsonValue, 'spec', 'hard') ?? {};
}

export function hardOf(quota: KubeObject, name: string): string | undefined {
  return textAt(quota as JsonValue, 'spec', 'hard', name) || undefined;
}
