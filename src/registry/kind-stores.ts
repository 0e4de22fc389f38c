import type { JsonObject } from '@flotilla/json';
import type { ResourceKind } from '../api/resource.ts';
import type { KindStore } from './kind-store.ts';
import { resourceKey } from './rows/rows.ts';

/** The stores of a control plane, one per kind, by resource key (for example `projects.management.platform.sh`). */
export type KindStores = ReadonlyMap<string, KindStore>;

/**
 * Returns the store of a kind, typed with the fields of that kind; `undefined` if the plane does not store the kind.
 */
export function findStore<Fields extends JsonObject>(
  stores: KindStores,
  kind: ResourceKind<Fields>,
): KindStore<Fields> | undefined {
  // The cast is safe: the plane opened the store for this kind, and every write is validated against its schema.
  return stores.get(resourceKey(kind)) as KindStore<Fields> | undefined;
}

/** Returns the store of a kind. Throws if the plane does not store this kind. */
export function storeOf<Fields extends JsonObject>(stores: KindStores, kind: ResourceKind<Fields>): KindStore<Fields> {
  const store = findStore(stores, kind);
  if (store === undefined) throw new Error(`this control plane does not store ${kind.plural}`);
  return store;
}
