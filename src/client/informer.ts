import type { KubeObject } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { ListRequest, ResourceClient } from './resource-client.ts';

export interface InformerOptions {
  readonly resource: ResourceClient;
  readonly request?: ListRequest;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called for every object that came, changed or went, after the informer's own copy did. Must not throw. */
  onChange(object: KubeObject): void;
}

export interface Informer {
  /** Resolves when the first list has been taken in; rejects never: it tries until the signal fires. */
  readonly synced: Promise<void>;
  get(namespace: string, name: string): KubeObject | undefined;
  all(): Iterable<KubeObject>;
  /** Settles when the signal has fired and nothing runs any more. */
  readonly done: Promise<void>;
}

const retry: BackoffOptions = { firstMilliseconds: 100, longestMilliseconds: 30_000 };

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

/**
 * A copy of a kind, kept true by list and watch. When the server says that the past is gone (410) or the stream
 * breaks, it lists again and reports what came, changed or went in between, so that nothing is missed.
 */
export function startInformer(options: InformerOptions): Informer {
  const { resource, request = {}, clock, log, signal, onChange } = options;
  let objects = new Map<string, KubeObject>();
  let markSynced: () => void = () => {};
  const synced = new Promise<void>((resolve) => {
    markSynced = resolve;
  });

  function take(object: KubeObject, gone: boolean): void {
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

  async function follow(from: string): Promise<string> {
    let resourceVersion = from;
    for await (const event of resource.watch({ ...request, resourceVersion, signal })) {
      if (event.type === 'BOOKMARK') {
        resourceVersion = event.resourceVersion;
      } else {
        take(event.object, event.type === 'DELETED');
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
      }
    }
    return resourceVersion;
  }

  async function run(): Promise<void> {
    let failures = 0;
    let resourceVersion: string | undefined;
    while (!signal.aborted) {
      try {
        resourceVersion ??= await relist();
        const reached = await follow(resourceVersion);
        // A stream that ends without having moved is tried again after a pause, so that a server that ends every
        // watch at once is not asked in a tight loop.
        failures = reached === resourceVersion ? failures + 1 : 0;
        resourceVersion = reached;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        if (!(error instanceof StatusError) || error.code !== 410) {
          log.warn({ error: String(error), failures }, 'informer lists again');
        }
        resourceVersion = undefined;
      }
      if (failures > 0) await wait(clock, backoffDelay(failures, retry), signal);
    }
  }

  return {
    synced,
    get: (namespace, name) => objects.get(`${namespace}/${name}`),
    all: () => objects.values(),
    done: run(),
  };
}
