import { compareBytes } from '@flotilla/json';

/**
 * The namespace and name of an object, which identify it within its kind. The namespace is '' for cluster-scoped kinds.
 */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

interface NamespaceObjects<T> {
  readonly byName: Map<string, T>;
  /**
   * All objects of the namespace, sorted by name and divided into runs, that is arrays of 1 to `maxRunLength` objects.
   * Inserting an object moves only the objects of one run.
   */
  readonly runs: T[][];
}

/** A compromise: longer runs make an insertion slower, shorter runs make the list of runs longer. */
const maxRunLength = 512;

/** The objects of a kind, indexed by key and sorted by namespace and then name, in byte order (rule LIST-03). */
export class ObjectIndex<T extends ObjectKey> {
  readonly #byNamespace = new Map<string, NamespaceObjects<T>>();
  readonly #namespaces: string[] = [];

  get(namespace: string, name: string): T | undefined {
    return this.#byNamespace.get(namespace)?.byName.get(name);
  }

  set(item: T): void {
    let objects = this.#byNamespace.get(item.namespace);
    if (objects === undefined) {
      objects = { byName: new Map(), runs: [] };
      this.#byNamespace.set(item.namespace, objects);
      this.#namespaces.splice(firstAfter(this.#namespaces, item.namespace), 0, item.namespace);
    }
    if (objects.byName.has(item.name)) replace(objects.runs, item);
    else insert(objects.runs, item);
    objects.byName.set(item.name, item);
  }

  delete(namespace: string, name: string): void {
    const objects = this.#byNamespace.get(namespace);
    if (objects?.byName.delete(name) !== true) return;
    remove(objects.runs, name);
    if (objects.byName.size > 0) return;
    this.#byNamespace.delete(namespace);
    this.#namespaces.splice(firstAfter(this.#namespaces, namespace) - 1, 1);
  }

  /**
   * Iterates over the objects of one namespace, or of all namespaces, in list order. Starts after the key `after`,
   * which need not exist.
   */
  *iterate(namespace?: string, after?: ObjectKey): Generator<T> {
    for (const { run, from } of this.#runsFrom(namespace, after)) {
      for (let at = from; at < run.length; at++) yield run[at] as T;
    }
  }

  /**
   * Returns the first `limit` objects that `iterate` would return. The array is a copy; later changes do not affect it.
   */
  take(namespace?: string, after?: ObjectKey, limit = Number.POSITIVE_INFINITY): T[] {
    const taken: T[] = [];
    for (const { run, from } of this.#runsFrom(namespace, after)) {
      for (let at = from; at < run.length; at++) {
        if (taken.length === limit) return taken;
        taken.push(run[at] as T);
      }
    }
    return taken;
  }

  /** The number of objects that `iterate` would return. */
  count(namespace?: string, after?: ObjectKey): number {
    let count = 0;
    if (after === undefined) {
      for (const each of this.#namespacesAfter(namespace, after))
        count += this.#byNamespace.get(each)?.byName.size ?? 0;
    } else {
      for (const { run, from } of this.#runsFrom(namespace, after)) count += run.length - from;
    }
    return count;
  }

  *#runsFrom(
    namespace: string | undefined,
    after: ObjectKey | undefined,
  ): Generator<{ readonly run: readonly T[]; readonly from: number }> {
    for (const each of this.#namespacesAfter(namespace, after)) {
      const runs = this.#byNamespace.get(each)?.runs ?? [];
      if (after?.namespace !== each) {
        for (const run of runs) yield { run, from: 0 };
        continue;
      }
      const first = runOf(runs, after.name);
      for (let at = first; at < runs.length; at++) {
        const run = runs[at] as T[];
        yield { run, from: at === first ? indexAfter(run, after.name) : 0 };
      }
    }
  }

  #namespacesAfter(namespace: string | undefined, after: ObjectKey | undefined): readonly string[] {
    const all = namespace === undefined ? this.#namespaces : [namespace];
    return after === undefined ? all : all.filter((each) => compareBytes(each, after.namespace) >= 0);
  }
}

export function compareObjectKeys(a: ObjectKey, b: ObjectKey): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

function insert<T extends ObjectKey>(runs: T[][], item: T): void {
  const last = runs.at(-1)?.at(-1);
  // Objects that arrive in order, for example while a cache is filled, are appended without a search. This fills each
  // run completely.
  if (last === undefined || compareBytes(last.name, item.name) < 0) {
    const run = runs.at(-1);
    if (run === undefined || run.length >= maxRunLength) runs.push([item]);
    else run.push(item);
    return;
  }
  const at = runOf(runs, item.name);
  const run = runs[at] as T[];
  run.splice(indexAfter(run, item.name), 0, item);
  if (run.length > maxRunLength) runs.splice(at + 1, 0, run.splice(run.length >>> 1));
}

function replace<T extends ObjectKey>(runs: readonly T[][], item: T): void {
  const run = runs[runOf(runs, item.name)] as T[];
  run[indexAfter(run, item.name) - 1] = item;
}

function remove<T extends ObjectKey>(runs: T[][], name: string): void {
  const at = runOf(runs, name);
  const run = runs[at] as T[];
  run.splice(indexAfter(run, name) - 1, 1);
  if (run.length === 0) runs.splice(at, 1);
}

/**
 * Returns the index of the run that contains the name, or into which the name would be inserted: the first run whose
 * last name is equal to or greater than the given name. If there is no such run, returns the index of the last run.
 */
function runOf<T extends ObjectKey>(runs: readonly (readonly T[])[], name: string): number {
  let low = 0;
  let high = Math.max(0, runs.length - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(runs[middle]?.at(-1)?.name ?? '', name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the index of the first item whose name is greater than `name`. */
function indexAfter<T extends ObjectKey>(run: readonly T[], name: string): number {
  let low = 0;
  let high = run.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(run[middle]?.name ?? '', name) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
