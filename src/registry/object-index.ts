import { compareBytes } from '../lib/json-order.ts';

/** Where an object stands among those of its kind; '' is the namespace of cluster-scoped ones. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Space<T> {
  readonly byName: Map<string, T>;
  /** In byte order. */
  readonly names: string[];
}

/** The objects of a kind, by name and in the order of lists: namespace, then name, by bytes (rule LIST-03). */
export class ObjectIndex<T extends Place> {
  readonly #spaces = new Map<string, Space<T>>();
  readonly #namespaces: string[] = [];

  get(namespace: string, name: string): T | undefined {
    return this.#spaces.get(namespace)?.byName.get(name);
  }

  set(item: T): void {
    let space = this.#spaces.get(item.namespace);
    if (space === undefined) {
      space = { byName: new Map(), names: [] };
      this.#spaces.set(item.namespace, space);
      this.#namespaces.splice(firstAfter(this.#namespaces, item.namespace), 0, item.namespace);
    }
    if (!space.byName.has(item.name)) insert(space.names, item.name);
    space.byName.set(item.name, item);
  }

  delete(namespace: string, name: string): void {
    const space = this.#spaces.get(namespace);
    if (space?.byName.delete(name) !== true) return;
    space.names.splice(firstAfter(space.names, name) - 1, 1);
    if (space.names.length > 0) return;
    this.#spaces.delete(namespace);
    this.#namespaces.splice(firstAfter(this.#namespaces, namespace) - 1, 1);
  }

  /** In order, of one namespace or of all, only what follows `after` (which need not be there). */
  *iterate(namespace?: string, after?: Place): Generator<T> {
    for (const each of this.#spacesAfter(namespace, after)) {
      const space = this.#spaces.get(each);
      if (space === undefined) continue;
      const from = after?.namespace === each ? firstAfter(space.names, after.name) : 0;
      for (let at = from; at < space.names.length; at++) {
        const item = space.byName.get(space.names[at] ?? '');
        if (item !== undefined) yield item;
      }
    }
  }

  /** How many `iterate` would give. */
  count(namespace?: string, after?: Place): number {
    let count = 0;
    for (const each of this.#spacesAfter(namespace, after)) {
      const names = this.#spaces.get(each)?.names ?? [];
      count += names.length - (after?.namespace === each ? firstAfter(names, after.name) : 0);
    }
    return count;
  }

  #spacesAfter(namespace: string | undefined, after: Place | undefined): readonly string[] {
    const all = namespace === undefined ? this.#namespaces : [namespace];
    return after === undefined ? all : all.filter((each) => compareBytes(each, after.namespace) >= 0);
  }
}

export function comparePlaces(a: Place, b: Place): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

/** What comes in order, as when a cache is filled, goes to the end without a search. */
function insert(names: string[], name: string): void {
  const last = names.at(-1);
  if (last === undefined || compareBytes(last, name) < 0) names.push(name);
  else names.splice(firstAfter(names, name), 0, name);
}

/** The index of the first one that sorts after `name`. */
function firstAfter(names: readonly string[], name: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(names[middle] ?? '', name) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
