import type { KubeObject } from '../api/meta.ts';
import { readersOf } from '../auth/authz/principals.ts';
import { textAt } from '../lib/json-path.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { gatherInTurns } from './gather-in-turns.ts';

/** What is known of all instances together. It keeps numbers and no names: there are very many of them. */
export interface InstanceIndex {
  /** Whether one of the namespace's can be read by that principal. */
  isReader(namespace: string, principal: string): boolean;
  onCluster(cluster: string): number;
  ownedBy(namespace: string, owner: string): number;
  /** By name: a user and a team of the same name are one. */
  owners(namespace: string): Iterable<readonly [owner: string, count: number]>;
}

/** Follows the store of instances from now on; goes with it. */
export function indexInstances(store: KindStore): InstanceIndex {
  const readers = new Counts();
  const owners = new Counts();
  const clusters = new Counts();
  const change = (instance: KubeObject, by: 1 | -1): void => {
    const { namespace = '' } = instance.metadata;
    for (const reader of readersOf(instance)) readers.add(namespace, reader, by);
    const owner = ownerKey(instance);
    if (owner !== '') owners.add(namespace, owner, by);
    const cluster = textAt(instance, 'spec', 'clusterRef', 'cluster');
    if (cluster !== '') clusters.add('', cluster, by);
  };
  const gathered = gatherInTurns(store, change);
  return {
    isReader: (namespace, principal) => gathered() && readers.get(namespace, principal) > 0,
    onCluster: (cluster) => (gathered() ? clusters.get('', cluster) : 0),
    ownedBy: (namespace, owner) => (gathered() ? owners.get(namespace, owner) : 0),
    owners: (namespace) => (gathered() ? byName(owners.of(namespace)) : []),
  };
}

/** Whom an instance belongs to, as quotas name them; '': nobody. */
export function ownerKey(instance: KubeObject): string {
  const user = textAt(instance, 'spec', 'owner', 'user');
  if (user !== '') return `user "${user}"`;
  const team = textAt(instance, 'spec', 'owner', 'team');
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

/** How often something has been said of a namespace. What is not said any more is not kept. */
class Counts {
  readonly #byNamespace = new Map<string, Map<string, number>>();

  add(namespace: string, word: string, by: 1 | -1): void {
    const words = this.#byNamespace.get(namespace) ?? new Map<string, number>();
    const count = (words.get(word) ?? 0) + by;
    if (count > 0) words.set(word, count);
    else words.delete(word);
    if (words.size > 0) this.#byNamespace.set(namespace, words);
    else this.#byNamespace.delete(namespace);
  }

  get(namespace: string, word: string): number {
    return this.#byNamespace.get(namespace)?.get(word) ?? 0;
  }

  of(namespace: string): Iterable<readonly [string, number]> {
    return this.#byNamespace.get(namespace) ?? [];
  }
}
