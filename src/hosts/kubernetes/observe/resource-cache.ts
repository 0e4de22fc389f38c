import type { KubeObject } from '../../../api/meta.ts';
import { listAndWatch } from '../../../client/list-and-watch.ts';
import type { ResourceClient } from '../../../client/resource-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { HostLocation } from '../../host.ts';
import type { ObjectSummary } from './object-summaries.ts';

export interface ResourceCacheOptions<Summary extends ObjectSummary> {
  readonly resource: ResourceClient;
  readonly labelSelector: string;
  /** Returns the fields of the object to cache; `undefined` if the object does not belong to a virtual cluster. */
  summarize(object: KubeObject): Summary | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Waits for the delay before the next attempt to list or watch. The wait ends early when the signal fires. */
  delay(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Called after a cached summary is added, changed or removed. */
  onChange(entry: Summary): void;
  /** Called after each list request with the error, or with `undefined` if it succeeded. */
  onStatus(failure: unknown): void;
}

/**
 * The number of objects per list request. A pod takes about ten kilobytes, so parsing thousands of pods at once would
 * block the event loop.
 */
const pageSize = 250;

/**
 * A cache of summaries of all objects of one kind on a host. A list and a watch keep it current. `done` resolves after
 * the signal has fired and both have stopped.
 */
export class ResourceCache<Summary extends ObjectSummary> {
  readonly done: Promise<void>;
  readonly #options: ResourceCacheOptions<Summary>;
  #entries = new Map<string, Summary>();
  /** The keys of the cached objects, by the location of the virtual cluster to which they belong. */
  #keysByLocation = new Map<string, Set<string>>();
  #isSynced = false;

  constructor(options: ResourceCacheOptions<Summary>) {
    this.#options = options;
    const { resource, labelSelector, clock, log, signal, delay } = options;
    this.done = listAndWatch({
      resource,
      request: { labelSelector },
      clock,
      log,
      signal,
      delay,
      relist: () => this.#relist(),
      apply: (object, gone) => this.#apply(object, gone),
    });
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get(namespace: string, name: string): Summary | undefined {
    return this.#entries.get(keyOf({ namespace, name }));
  }

  /** Returns the summaries of the objects that belong to the virtual cluster at this location. */
  ofVirtualCluster({ namespace, name }: HostLocation): readonly Summary[] {
    const keys = this.#keysByLocation.get(`${namespace}/${name}`) ?? [];
    return [...keys].flatMap((key) => this.#entries.get(key) ?? []);
  }

  all(): Iterable<Summary> {
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
    const found: Summary[] = [];
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

  #put(entry: Summary): void {
    const locationKey = locationKeyOf(entry);
    let keys = this.#keysByLocation.get(locationKey);
    if (keys === undefined) {
      keys = new Set();
      this.#keysByLocation.set(locationKey, keys);
    }
    keys.add(keyOf(entry));
    this.#entries.set(keyOf(entry), entry);
  }

  #drop(entry: Summary): void {
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

/** True if two summaries differ in more than the resourceVersion. Many updates change no other cached field. */
function differs(one: ObjectSummary, other: ObjectSummary): boolean {
  const { resourceVersion: _one, ...before } = one;
  const { resourceVersion: _other, ...after } = other;
  return JSON.stringify(before) !== JSON.stringify(after);
}
