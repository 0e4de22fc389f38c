import { cloneJson, writeJson } from '@flotilla/json';
import type { KubeObject } from '../../src/api/meta.ts';
import type { ResourceKind } from '../../src/api/resource.ts';
import { alreadyExists, deletedStatus, notFound } from '../../src/api/status.ts';
import type { Attributes, Decision } from '../../src/auth/authz/attributes.ts';
import type { Identity } from '../../src/auth/identity.ts';
import type { Plane } from '../../src/http/plane.ts';
import { feedIterator } from '../../src/lib/feed.ts';
import type { RequestContext } from '../../src/registry/context.ts';
import type { MountedResource } from '../../src/registry/mounted-resource.ts';
import type {
  DeleteOptions,
  ListOptions,
  Patch,
  PatchOptions,
  ResourceVerbs,
  ServedObject,
  WatchEvent,
  WatchOptions,
  WatchStream,
  WriteOptions,
} from '../../src/registry/verbs.ts';

export const widgetKind: ResourceKind = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  namespaced: true,
  schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } } },
  },
  columns: [
    { name: 'Size', type: 'integer', value: (object) => (object.spec as { size?: number } | undefined)?.size },
    { name: 'Age', type: 'date', value: (object) => object.metadata.creationTimestamp },
  ],
};

const gadgetKind: ResourceKind = {
  ...widgetKind,
  kind: 'Gadget',
  plural: 'gadgets',
  singular: 'gadget',
  namespaced: false,
};
const reviewKind: ResourceKind = { ...gadgetKind, kind: 'Review', plural: 'reviews', singular: 'review' };
const resizeKind: ResourceKind = { ...widgetKind, kind: 'Resize', plural: 'resizes', singular: 'resize' };
const namespaceKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  namespaced: false,
  builtIn: true,
  schema: { type: 'object' },
};

export interface RecordedCall {
  readonly verb: string;
  readonly context: RequestContext;
  readonly name?: string;
  readonly object?: KubeObject;
  readonly patch?: Patch;
  readonly options?: WriteOptions | PatchOptions | DeleteOptions | ListOptions | WatchOptions;
}

/** A source of watch events for tests. `push` sends an event to one waiting watch, and `end` ends all watches. */
export class TestEventSource {
  readonly #waiting: WatchEvent[] = [];
  #wakes: (() => void)[] = [];
  #over: boolean | Error = false;

  push(event: WatchEvent): void {
    this.#waiting.push(event);
    this.#wakeAll();
  }

  end(error?: Error): void {
    this.#over = error ?? true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const wake of wakes) wake();
  }

  stream(): WatchStream {
    const source = this;
    let left = false;
    const stream: WatchStream = {
      take() {
        const event = left ? undefined : source.#waiting.shift();
        if (event === undefined && source.#over instanceof Error && !left) {
          left = true;
          throw source.#over;
        }
        return event;
      },
      get isEnded() {
        return left || (source.#over !== false && source.#waiting.length === 0);
      },
      wait: (wake) => void source.#wakes.push(wake),
      close() {
        left = true;
        source.#wakeAll();
      },
      [Symbol.asyncIterator]: () => feedIterator(stream),
    };
    return stream;
  }
}

export function served(object: KubeObject): ServedObject {
  return { object, json: () => writeJson(object) };
}

/** A plane of a few kinds with hand-written verbs that record their calls. */
export class WidgetPlane implements Plane {
  readonly id = 'test';
  readonly generation = 1;
  readonly calls: RecordedCall[] = [];
  readonly objects = new Map<string, KubeObject>();
  readonly events = new TestEventSource();
  /** Resolves when the abort signal of the running watch fires. */
  watchEnded: Promise<void> = Promise.resolve();
  decide: (identity: Identity, attributes: Attributes) => Decision = () => ({ allowed: true, reason: 'test' });
  #revision = 10;
  readonly #mounted: MountedResource[];

  constructor() {
    const widgets = this.#verbs(widgetKind);
    this.#mounted = [
      {
        kind: widgetKind,
        verbs: widgets,
        subresources: {
          status: {
            kind: widgetKind,
            verbs: { ...pick(widgets, 'get'), ...pick(widgets, 'update'), ...pick(widgets, 'patch') },
          },
          resize: {
            kind: resizeKind,
            verbs: {
              createNamed: async (context, name, object, options) => {
                this.calls.push({ verb: 'createNamed', context, name, object, options });
                return served(object);
              },
            },
          },
        },
      },
      {
        kind: gadgetKind,
        verbs: { ...pick(this.#verbs(gadgetKind), 'get'), ...pick(this.#verbs(gadgetKind), 'list') },
        subresources: {},
      },
      { kind: reviewKind, verbs: pick(this.#verbs(reviewKind), 'create'), subresources: {} },
      { kind: namespaceKind, verbs: this.#verbs(namespaceKind), subresources: {} },
    ];
  }

  resources(): readonly MountedResource[] {
    return this.#mounted;
  }

  find(group: string, version: string, plural: string): MountedResource | undefined {
    return this.#mounted.find(({ kind }) => kind.group === group && kind.version === version && kind.plural === plural);
  }

  authorize(identity: Identity, attributes: Attributes): Decision {
    return this.decide(identity, attributes);
  }

  mayRead(): undefined {
    return undefined;
  }

  /** Adds an object as if it had been created long ago. */
  put(namespace: string, name: string, more: Partial<KubeObject> = {}): KubeObject {
    this.#revision++;
    const object = {
      apiVersion: 'example.dev/v1',
      kind: 'Widget',
      metadata: { name, namespace, resourceVersion: String(this.#revision), uid: `uid-${name}` },
      ...more,
    } as KubeObject;
    this.objects.set(`widgets/${namespace}/${name}`, object);
    return object;
  }

  #verbs(kind: ResourceKind): Required<ResourceVerbs> {
    const resource = { group: kind.group, resource: kind.plural };
    const keyOf = (context: RequestContext, name: string) => `${kind.plural}/${context.namespace}/${name}`;
    const find = (context: RequestContext, name: string) => {
      const object = this.objects.get(keyOf(context, name));
      if (object === undefined) throw notFound(resource, name);
      return object;
    };
    const write = (context: RequestContext, sent: KubeObject): ServedObject => {
      const object = cloneJson(sent);
      object.metadata.resourceVersion = String(++this.#revision);
      this.objects.set(keyOf(context, object.metadata.name ?? ''), object);
      return served(object);
    };
    const listed = (context: RequestContext) => ({
      items: [...this.objects]
        .filter(([key]) => key.startsWith(`${kind.plural}/${context.namespace === '' ? '' : `${context.namespace}/`}`))
        .map(([, object]) => served(object)),
      resourceVersion: String(this.#revision),
    });
    return {
      get: async (context, name, options) => {
        this.calls.push({ verb: 'get', context, name, options: options as never });
        return served(find(context, name));
      },
      list: async (context, options) => {
        this.calls.push({ verb: 'list', context, options });
        const all = listed(context);
        if (options.limit === 0 || all.items.length <= options.limit) return all;
        const rest = all.items.length - options.limit;
        return { ...all, items: all.items.slice(0, options.limit), continue: 'more', remainingItemCount: rest };
      },
      watch: async (context, options) => {
        this.calls.push({ verb: 'watch', context, options });
        this.watchEnded = new Promise((resolve) => {
          context.signal.addEventListener('abort', () => {
            this.events.end();
            resolve();
          });
        });
        return this.events.stream();
      },
      create: async (context, object, options) => {
        this.calls.push({ verb: 'create', context, object, options });
        if (this.objects.has(keyOf(context, object.metadata.name ?? ''))) {
          throw alreadyExists(resource, object.metadata.name ?? '');
        }
        return write(context, object);
      },
      update: async (context, name, object, options) => {
        this.calls.push({ verb: 'update', context, name, object, options });
        find(context, name);
        return { ...write(context, object), created: false };
      },
      patch: async (context, name, patch, options) => {
        this.calls.push({ verb: 'patch', context, name, patch, options });
        return { ...served(find(context, name)), created: patch.type === 'apply' };
      },
      delete: async (context, name, options) => {
        this.calls.push({ verb: 'delete', context, name, options });
        const object = find(context, name);
        if ((object.metadata.finalizers ?? []).length > 0) return { pending: served(object) };
        this.objects.delete(keyOf(context, name));
        return { gone: deletedStatus(resource, name, object.metadata.uid ?? '') };
      },
      deletecollection: async (context, _list, options) => {
        this.calls.push({ verb: 'deletecollection', context, options });
        return listed(context);
      },
    };
  }
}

function pick<K extends keyof ResourceVerbs>(
  verbs: Required<ResourceVerbs>,
  name: K,
): Pick<Required<ResourceVerbs>, K> {
  return { [name]: verbs[name] } as Pick<Required<ResourceVerbs>, K>;
}
