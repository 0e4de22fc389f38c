import type { KubeObject } from '../../api/meta.ts';
import { textAt } from '../../lib/json-path.ts';
import { keyOf } from './instance-facts.ts';

interface Entry {
  readonly uid: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly template: string;
}

/**
 * Which instances a change of something else concerns. Told of every instance that comes or changes, and of those that
 * are gone; keeps of each a few words.
 */
export class InstanceDirectory {
  readonly #entries = new Map<string, Entry>();
  readonly #byUid = new Map<string, string>();
  readonly #byTemplate = new Keys();
  /** By cluster and host namespace. */
  readonly #byNamespace = new Keys();

  /** Whether it was not known before. */
  put(instance: KubeObject): boolean {
    const key = keyOf(instance);
    const entry: Entry = {
      uid: instance.metadata.uid ?? '',
      cluster: textAt(instance, 'spec', 'clusterRef', 'cluster'),
      namespace: textAt(instance, 'spec', 'clusterRef', 'namespace'),
      template: textAt(instance, 'spec', 'templateRef', 'name'),
    };
    const before = this.#entries.get(key);
    if (before !== undefined && isSame(before, entry)) return false;
    this.remove(key);
    this.#entries.set(key, entry);
    this.#byUid.set(entry.uid, key);
    this.#byTemplate.add(entry.template, key);
    this.#byNamespace.add(placeOf(entry), key);
    return before?.uid !== entry.uid;
  }

  /** The uid of the one that is forgotten now; undefined: it was not known. */
  remove(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#byUid.delete(entry.uid);
    this.#byTemplate.remove(entry.template, key);
    this.#byNamespace.remove(placeOf(entry), key);
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

  from(template: string): readonly string[] {
    return this.#byTemplate.of(template);
  }

  in(cluster: string, namespace: string): readonly string[] {
    return this.#byNamespace.of(placeOf({ cluster, namespace }));
  }

  /** Those on a cluster; '': those that have no place yet. */
  on(cluster: string): readonly string[] {
    return [...this.#entries].filter(([, entry]) => entry.cluster === cluster).map(([key]) => key);
  }
}

function placeOf({ cluster, namespace }: Pick<Entry, 'cluster' | 'namespace'>): string {
  return `${cluster}/${namespace}`;
}

function isSame(a: Entry, b: Entry): boolean {
  return a.uid === b.uid && a.cluster === b.cluster && a.namespace === b.namespace && a.template === b.template;
}

/** Keys by a word; what has none is not kept. */
class Keys {
  readonly #keys = new Map<string, Set<string>>();

  add(word: string, key: string): void {
    const keys = this.#keys.get(word) ?? new Set<string>();
    this.#keys.set(word, keys.add(key));
  }

  remove(word: string, key: string): void {
    const keys = this.#keys.get(word);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(word);
  }

  of(word: string): readonly string[] {
    return [...(this.#keys.get(word) ?? [])];
  }
}
