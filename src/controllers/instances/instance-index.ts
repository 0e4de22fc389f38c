import type { Instance } from './instance-profile.ts';
import { instanceKey } from './instance-snapshot.ts';

interface Entry {
  readonly uid: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly template: string;
}

/**
 * Finds the instances that use a given template, cluster or host namespace. When one of these objects changes, the
 * controller reconciles these instances. Callers report every added, changed or deleted instance. The index stores only
 * a few fields of each instance.
 */
export class InstanceIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #byUid = new Map<string, string>();
  readonly #byTemplate = new KeyMultimap();
  readonly #byCluster = new KeyMultimap();
  /** Keys of instances, by cluster and namespace on that cluster. */
  readonly #byNamespace = new KeyMultimap();

  /** Adds or updates an instance. Returns true if it is new. */
  put(instance: Instance): boolean {
    const { clusterRef = {}, templateRef = {} } = instance.spec ?? {};
    const key = instanceKey(instance);
    const entry: Entry = {
      uid: instance.metadata.uid ?? '',
      cluster: clusterRef.cluster ?? '',
      namespace: clusterRef.namespace ?? '',
      template: templateRef.name ?? '',
    };
    const before = this.#entries.get(key);
    if (before !== undefined && isSame(before, entry)) return false;
    this.remove(key);
    this.#entries.set(key, entry);
    this.#byUid.set(entry.uid, key);
    this.#byTemplate.add(entry.template, key);
    this.#byCluster.add(entry.cluster, key);
    this.#byNamespace.add(hostNamespaceKey(entry), key);
    return before?.uid !== entry.uid;
  }

  /** Removes an instance. Returns its uid; `undefined` if the index does not contain the instance. */
  remove(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#byUid.delete(entry.uid);
    this.#byTemplate.remove(entry.template, key);
    this.#byCluster.remove(entry.cluster, key);
    this.#byNamespace.remove(hostNamespaceKey(entry), key);
    return entry.uid;
  }

  get size(): number {
    return this.#entries.size;
  }

  clusterOf(key: string): string {
    return this.#entries.get(key)?.cluster ?? '';
  }

  keyOfUid(uid: string): string | undefined {
    return this.#byUid.get(uid);
  }

  withTemplate(template: string): readonly string[] {
    return this.#byTemplate.of(template);
  }

  inHostNamespace(cluster: string, namespace: string): readonly string[] {
    return this.#byNamespace.of(hostNamespaceKey({ cluster, namespace }));
  }

  /** Returns the keys of the instances in a namespace of the management API. */
  inNamespace(namespace: string): readonly string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(`${namespace}/`));
  }

  /** Returns the keys of the instances on a cluster. '' returns the instances that are not scheduled yet. */
  onCluster(cluster: string): readonly string[] {
    return this.#byCluster.of(cluster);
  }

  hasInstancesOn(cluster: string): boolean {
    return this.#byCluster.has(cluster);
  }
}

function hostNamespaceKey({ cluster, namespace }: Pick<Entry, 'cluster' | 'namespace'>): string {
  return `${cluster}/${namespace}`;
}

function isSame(a: Entry, b: Entry): boolean {
  return a.uid === b.uid && a.cluster === b.cluster && a.namespace === b.namespace && a.template === b.template;
}

/** Maps values to sets of instance keys. When the last key of a value is removed, the value is deleted from the map. */
class KeyMultimap {
  readonly #keys = new Map<string, Set<string>>();

  add(value: string, key: string): void {
    const keys = this.#keys.get(value) ?? new Set<string>();
    this.#keys.set(value, keys.add(key));
  }

  remove(value: string, key: string): void {
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value);
  }

  has(value: string): boolean {
    return this.#keys.has(value);
  }

  of(value: string): readonly string[] {
    return [...(this.#keys.get(value) ?? [])];
  }
}
