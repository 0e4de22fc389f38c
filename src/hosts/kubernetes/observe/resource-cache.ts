import type { KubeObject } from '../../../api/meta.ts';
import { listAndWatch } from '../../../client/list-and-watch.ts';
import type { ResourceClient } from '../../../client/resource-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { HostLocation } from '../../host.ts';
import type { ObjectSummary } from './object-summaries.ts';

export interface ResourceCacheOptions<Fact extends ObjectSummary> {
  readonly resource: ResourceClient;
  readonly labelSelector: string;
  /** Returns `undefined` for objects that are not relevant. */
  summarize(object: KubeObject): Fact | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called when an entry is added, changed or removed. */
  onChange(entry: Fact): void;
  /** Reports the result of each list: `undefined`, or the error. */
  onStatus(failure: unknown): void;
}

/** Pods take ten kilobytes each: parsing thousands of them at once would block the event loop. */
const pageSize = 250;

/**
 * A cache of the relevant data of one kind on a host, kept current by list and watch. `done` settles when the signal
 * has fired and all work has stopped.
 */
export class ResourceCache<Fact extends ObjectSummary> {
  readonly done: Promise<void>;
  readonly #options: ResourceCacheOptions<Fact>;
  #entries = new Map<string, Fact>();
  /** The keys of the entries of each virtual cluster. */
  #keysByLocation = new Map<string, Set<string>>();
  #isSynced = false;

  constructor(options: ResourceCacheOptions<Fact>) {
    this.#options = options;
    const { resource, labelSelector, clock, log, signal } = options;
    this.done = listAndWatch({
      resource,
      request: { labelSelector },
      clock,
      log,
      signal,
      relist: () => this.#relist(),
      apply: (object, gone) => this.#apply(object, gone),
    });
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get(namespace: string, name: string): Fact | undefined {
    return this.#entries.get(keyOf({ namespace, name }));
  }

  /** The entries of the virtual cluster at that location. */
  ofVirtualCluster({ namespace, name }: HostLocation): readonly Fact[] {
    const keys = this.#keysByLocation.get(`${namespace}/${name}`) ?? [];
    return [...keys].flatMap((key) => this.#entries.get(key) ?? []);
  }

  all(): Iterable<Fact> {
    return this.#entries.values();
  }

  async #relist(): Promise<string> {
    const { signal, onStatus } = this.#options;
    try {
      const reached = await this.#list();
      this.#isSynced = true;
      onStatus(undefined);
      return reached;
    } catch (error) {
      if (!signal.aborted) onStatus(error);
      throw error;
    }
  }

  async #list(): Promise<string> {
    const { resource, labelSelector, summarize, signal, onChange } = this.#options;
    const found: Fact[] = [];
    let page = await resource.list({ labelSelector, limit: pageSize, signal });
    for (;;) {
      found.push(...page.items.flatMap((object) => summarize(object) ?? []));
      if (page.continue === undefined) break;
      page = await resource.list({ labelSelector, limit: pageSize, continue: page.continue, signal });
    }
    const before = this.#entries;
    this.#entries = new Map();
    this.#keysByLocation = new Map();
    for (const entry of found) {
      const previous = before.get(keyOf(entry));
      this.#put(entry);
      if (previous === undefined || differs(previous, entry)) onChange(entry);
    }
    for (const [key, entry] of before) if (!this.#entries.has(key)) onChange(entry);
    return page.resourceVersion;
  }

  #apply(object: KubeObject, gone: boolean): void {
    const { summarize, onChange } = this.#options;
    const { namespace = '', name = '' } = object.metadata;
    const entry = gone ? undefined : summarize(object);
    const previous = this.#entries.get(keyOf(entry ?? { namespace, name }));
    if (previous !== undefined && (entry === undefined || locationKeyOf(previous) !== locationKeyOf(entry))) {
      this.#drop(previous);
      onChange(previous);
    }
    if (entry !== undefined) {
      this.#put(entry);
      if (previous === undefined || differs(previous, entry)) onChange(entry);
    }
  }

  #put(entry: Fact): void {
    const place = locationKeyOf(entry);
    let keys = this.#keysByLocation.get(place);
    if (keys === undefined) {
      keys = new Set();
      this.#keysByLocation.set(place, keys);
    }
    keys.add(keyOf(entry));
    this.#entries.set(keyOf(entry), entry);
  }

  #drop(entry: Fact): void {
    this.#entries.delete(keyOf(entry));
    const keys = this.#keysByLocation.get(locationKeyOf(entry));
    keys?.delete(keyOf(entry));
    if (keys?.size === 0) this.#keysByLocation.delete(locationKeyOf(entry));
  }
}

function keyOf({ namespace, name }: Pick<ObjectSummary, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function locationKeyOf({ namespace, release }: ObjectSummary): string {
  return `${namespace}/${release}`;
}

/** Many updates of an object change nothing in its entry. */
function differs(one: ObjectSummary, other: ObjectSummary): boolean {
  const { resourceVersion: _one, ...before } = one;
  const { resourceVersion: _other, ...after } = other;
  return JSON.stringify(before) !== JSON.stringify(after);
}
