import type { TypedObject } from '../../api/meta.ts';
import type { GuardedFields, GuardedObject } from '../../auth/authz/guarded-object.ts';
import { readersOf } from '../../auth/authz/principals.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { aggregateIncrementally } from '../aggregate-incrementally.ts';

/** The fields of an instance of any kind that the index reads. */
type IndexedFields = GuardedFields & { spec?: { clusterRef?: { cluster?: string } } };
type IndexedInstance = TypedObject<IndexedFields>;

/**
 * Summarizes all instances of a kind: who may read them and how many are on each cluster. The index stores no names of
 * instances, because there can be very many instances.
 */
export interface InstanceIndex {
  /** True if the user or team may read at least one instance in the namespace. */
  isReader(namespace: string, principal: string): boolean;
  onCluster(cluster: string): number;
  ownedBy(namespace: string, owner: string): number;
  /**
   * Returns the number of instances per owner name. If a user and a team have the same name, their numbers are added.
   */
  owners(namespace: string): Iterable<readonly [owner: string, count: number]>;
}

/** Creates the index and updates it with each change in the store. */
export function indexInstances<Fields extends IndexedFields>(store: KindStore<Fields>): InstanceIndex {
  const readers = new Counts();
  const owners = new Counts();
  const clusters = new Counts();
  const change = (instance: IndexedInstance, by: 1 | -1): void => {
    const { namespace = '' } = instance.metadata;
    for (const reader of readersOf(instance)) readers.add(namespace, reader, by);
    const owner = ownerKey(instance);
    if (owner !== '') owners.add(namespace, owner, by);
    const cluster = instance.spec?.clusterRef?.cluster ?? '';
    if (cluster !== '') clusters.add('', cluster, by);
  };
  const ensureComplete = aggregateIncrementally(store, change);
  return {
    isReader: (namespace, principal) => ensureComplete() && readers.get(namespace, principal) > 0,
    onCluster: (cluster) => (ensureComplete() ? clusters.get('', cluster) : 0),
    ownedBy: (namespace, owner) => (ensureComplete() ? owners.get(namespace, owner) : 0),
    owners: (namespace) => (ensureComplete() ? byName(owners.of(namespace)) : []),
  };
}

/** Returns the owner of an instance as quota messages print it, such as `user "anna"`. '' if there is none. */
export function ownerKey(instance: GuardedObject): string {
  const { user = '', team = '' } = instance.spec?.owner ?? {};
  if (user !== '') return `user "${user}"`;
  return team === '' ? '' : `team "${team}"`;
}

function byName(counts: Iterable<readonly [string, number]>): Map<string, number> {
  const named = new Map<string, number>();
  for (const [owner, count] of counts) {
    const name = owner.slice(owner.indexOf('"') + 1, -1);
    named.set(name, (named.get(name) ?? 0) + count);
  }
  return named;
}

/** Counters by namespace and key. A counter that reaches zero is removed. */
class Counts {
  readonly #byNamespace = new Map<string, Map<string, number>>();

  add(namespace: string, key: string, by: 1 | -1): void {
    const counts = this.#byNamespace.get(namespace) ?? new Map<string, number>();
    const count = (counts.get(key) ?? 0) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
    if (counts.size > 0) this.#byNamespace.set(namespace, counts);
    else this.#byNamespace.delete(namespace);
  }

  get(namespace: string, key: string): number {
    return this.#byNamespace.get(namespace)?.get(key) ?? 0;
  }

  of(namespace: string): Iterable<readonly [string, number]> {
    return this.#byNamespace.get(namespace) ?? [];
  }
}
