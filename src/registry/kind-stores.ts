import type { JsonObject } from '@flotilla/json';
import type { ResourceKind } from '../api/resource.ts';
import type { KindStore } from './kind-store.ts';
import { resourceKey } from './rows/rows.ts';

/** The open stores of the kinds of a control plane, by resource key (`projects.management.platform.sh`). */
export type KindStores = ReadonlyMap<string, KindStore>;

/** Returns the store of a kind, with the types of that kind; `undefined` if the plane does not store it. */
export function findStore<Fields extends JsonObject>(
  stores: KindStores,
  kind: ResourceKind<Fields>,
): KindStore<Fields> | undefined {
  // The plane opened the store for this very kind, and checks every write against the kind's schema.
  return stores.get(resourceKey(kind)) as KindStore<Fields> | undefined;
}

/** Returns the store of a kind that the plane is known to have. */
export function storeOf<Fields extends JsonObject>(stores: KindStores, kind: ResourceKind<Fields>): KindStore<Fields> {
  const store = findStore(stores, kind);
  if (store === undefined) throw new Error(`this control plane does not store ${kind.plural}`);
  return store;
}
