import type { KubeObject } from '../../api/meta.ts';
import { followChanges } from '../../client/follow-changes.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { HostPlace } from '../host.ts';
import type { HostFact } from './host-facts.ts';

export interface HostCopyOptions<Fact extends HostFact> {
  readonly resource: ResourceClient;
  readonly labelSelector: string;
  /** undefined: of no interest. */
  read(object: KubeObject): Fact | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Another than it was, new or gone. */
  onChange(fact: Fact): void;
  /** Whether what the host said last was an answer: undefined, or what it was instead. Told when that changes. */
  onState(failure: unknown): void;
}

/** Pods take ten kilobytes each: to read thousands of them at once would hold everybody up. */
const pageLength = 250;

/**
 * What is of interest of one kind on a host, kept true by one list and one watch. `done` settles when the signal has
 * fired and nothing runs any more.
 */
export class HostCopy<Fact extends HostFact> {
  readonly done: Promise<void>;
  readonly #options: HostCopyOptions<Fact>;
  #facts = new Map<string, Fact>();
  /** The keys of what belongs to one virtual cluster. */
  #places = new Map<string, Set<string>>();
  #isSynced = false;

  constructor(options: HostCopyOptions<Fact>) {
    this.#options = options;
    const { resource, labelSelector, clock, log, signal } = options;
    this.done = followChanges({
      resource,
      request: { labelSelector },
      clock,
      log,
      signal,
      begin: () => this.#begin(),
      take: (object, gone) => this.#take(object, gone),
    });
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get(namespace: string, name: string): Fact | undefined {
    return this.#facts.get(keyOf({ namespace, name }));
  }

  /** What belongs to the virtual cluster of that place. */
  of({ namespace, name }: HostPlace): readonly Fact[] {
    const keys = this.#places.get(`${namespace}/${name}`) ?? [];
    return [...keys].flatMap((key) => this.#facts.get(key) ?? []);
  }

  all(): Iterable<Fact> {
    return this.#facts.values();
  }

  async #begin(): Promise<string> {
    const { signal, onState } = this.#options;
    try {
      const reached = await this.#list();
      this.#isSynced = true;
      onState(undefined);
      return reached;
    } catch (error) {
      if (!signal.aborted) onState(error);
      throw error;
    }
  }

  async #list(): Promise<string> {
    const { resource, labelSelector, read, signal, onChange } = this.#options;
    const found: Fact[] = [];
    let page = await resource.list({ labelSelector, limit: pageLength, signal });
    for (;;) {
      found.push(...page.items.flatMap((object) => read(object) ?? []));
      if (page.continue === undefined) break;
      page = await resource.list({ labelSelector, limit: pageLength, continue: page.continue, signal });
    }
    const before = this.#facts;
    this.#facts = new Map();
    this.#places = new Map();
    for (const fact of found) {
      const known = before.get(keyOf(fact));
      this.#put(fact);
      if (known === undefined || differs(known, fact)) onChange(fact);
    }
    for (const [key, fact] of before) if (!this.#facts.has(key)) onChange(fact);
    return page.resourceVersion;
  }

  #take(object: KubeObject, gone: boolean): void {
    const { read, onChange } = this.#options;
    const { namespace = '', name = '' } = object.metadata;
    const fact = gone ? undefined : read(object);
    const known = this.#facts.get(keyOf(fact ?? { namespace, name }));
    if (known !== undefined && (fact === undefined || placeOf(known) !== placeOf(fact))) {
      this.#drop(known);
      onChange(known);
    }
    if (fact !== undefined) {
      this.#put(fact);
      if (known === undefined || differs(known, fact)) onChange(fact);
    }
  }

  #put(fact: Fact): void {
    const place = placeOf(fact);
    let keys = this.#places.get(place);
    if (keys === undefined) {
      keys = new Set();
      this.#places.set(place, keys);
    }
    keys.add(keyOf(fact));
    this.#facts.set(keyOf(fact), fact);
  }

  #drop(fact: Fact): void {
    this.#facts.delete(keyOf(fact));
    const keys = this.#places.get(placeOf(fact));
    keys?.delete(keyOf(fact));
    if (keys?.size === 0) this.#places.delete(placeOf(fact));
  }
}

function keyOf({ namespace, name }: Pick<HostFact, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function placeOf({ namespace, release }: HostFact): string {
  return `${namespace}/${release}`;
}

/** Many writes to an object change nothing of what is kept of it. */
function differs(one: HostFact, other: HostFact): boolean {
  const { resourceVersion: _one, ...before } = one;
  const { resourceVersion: _other, ...after } = other;
  return JSON.stringify(before) !== JSON.stringify(after);
}
