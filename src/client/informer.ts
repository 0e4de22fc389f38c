import type { JsonObject } from '@flotilla/json';
import type { AnyFields, KubeObject, TypedObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { listAndWatch } from './list-and-watch.ts';
import type { ListRequest, ResourceClient } from './resource-client.ts';

export interface InformerOptions<Fields extends JsonObject = AnyFields> {
  readonly resource: ResourceClient<Fields>;
  readonly request?: ListRequest;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /**
   * Called for every object that was added, modified or deleted, after the cache contains the change. Must not throw.
   */
  onChange(object: TypedObject<Fields>): void;
}

export interface Informer<Fields extends JsonObject = AnyFields> {
  /** Resolves after the first list is in the cache. Never rejects: the informer retries until the signal fires. */
  readonly synced: Promise<void>;
  get(namespace: string, name: string): TypedObject<Fields> | undefined;
  all(): Iterable<TypedObject<Fields>>;
  /** Resolves after the signal has fired and the informer has stopped. */
  readonly done: Promise<void>;
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

/**
 * Keeps a cache of all objects of a kind current with list and watch. If the watch history has expired (410) or the
 * stream breaks, the informer lists again and reports the differences between the list and its cache, so no change is
 * missed.
 */
export function startInformer<Fields extends JsonObject>(options: InformerOptions<Fields>): Informer<Fields> {
  const { resource, request = {}, clock, log, signal, onChange } = options;
  let objects = new Map<string, TypedObject<Fields>>();
  let markSynced: () => void = () => {};
  const synced = new Promise<void>((resolve) => {
    markSynced = resolve;
  });

  function take(object: TypedObject<Fields>, gone: boolean): void {
    if (gone) objects.delete(keyOf(object));
    else objects.set(keyOf(object), object);
    onChange(object);
  }

  async function relist(): Promise<string> {
    const list = await resource.list({ ...request, signal });
    const before = objects;
    objects = new Map(list.items.map((object) => [keyOf(object), object]));
    for (const object of list.items) {
      const known = before.get(keyOf(object));
      if (known?.metadata.resourceVersion !== object.metadata.resourceVersion) onChange(object);
    }
    for (const [key, object] of before) if (!objects.has(key)) onChange(object);
    markSynced();
    return list.resourceVersion;
  }

  return {
    synced,
    get: (namespace, name) => objects.get(`${namespace}/${name}`),
    all: () => objects.values(),
    done: listAndWatch({ resource, request, clock, log, signal, relist: relist, apply: take }),
  };
}
