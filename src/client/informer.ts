import type { KubeObject, TypedObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { Log } from '../lib/log.ts';
import { followChanges } from './follow-changes.ts';
import type { ListRequest, ResourceClient } from './resource-client.ts';

export interface InformerOptions<Fields extends JsonObject = JsonObject> {
  readonly resource: ResourceClient<Fields>;
  readonly request?: ListRequest;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called for every object that came, changed or went, after the informer's own copy did. Must not throw. */
  onChange(object: TypedObject<Fields>): void;
}

export interface Informer<Fields extends JsonObject = JsonObject> {
  /** Resolves when the first list has been taken in; rejects never: it tries until the signal fires. */
  readonly synced: Promise<void>;
  get(namespace: string, name: string): TypedObject<Fields> | undefined;
  all(): Iterable<TypedObject<Fields>>;
  /** Settles when the signal has fired and nothing runs any more. */
  readonly done: Promise<void>;
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

/**
 * A copy of a kind, kept true by list and watch. When the server says that the past is gone (410) or the stream
 * breaks, it lists again and reports what came, changed or went in between, so that nothing is missed.
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
    done: followChanges({ resource, request, clock, log, signal, begin: relist, take }),
  };
}
