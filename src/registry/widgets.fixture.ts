import type { JsonObject } from '@flotilla/json';
import { invalid } from '../api/field-error.ts';
import type { KubeObject, OwnerReference } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { denseRevisions } from '../store/dense-revisions.fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store.fixture.ts';
import type { RequestContext } from './context.ts';
import { type KindStoreOptions, openKindStore } from './open-kind-store.ts';
import type { StoredResource } from './resource.ts';
import type {
  DeleteOptions,
  ListOptions,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WatchStream,
  WriteOptions,
} from './verbs.ts';

/** A kind for tests, with a status subresource, grace periods and a default value. */
export const widgetResource: StoredResource = {
  group: 'test.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  namespaced: true,
  hasStatus: true,
  gracePeriods: true,
  selectableFields: ['spec.color'],
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          color: { type: 'string' },
          size: { type: 'integer', format: 'int64', minimum: 1 },
          mode: { type: 'string', default: 'plain' },
          parts: { type: 'array', items: { type: 'string' } },
        },
      },
      status: { type: 'object', properties: { phase: { type: 'string' }, count: { type: 'integer' } } },
    },
  },
};

export const testSlice = 'plane';

/** Returns a store that behaves like `store`, except for the functions in `changes`. */
export function storeWithOverrides(store: Store, changes: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Opens a new store whose revisions are 2, 3, 4 and so on, also on etcd. */
function openWidgetStore(clock: ManualClock): Store {
  const store = openTestStore({ clock });
  return store.isShared ? denseRevisions(store) : store;
}

export async function openWidgets(
  change: Partial<StoredResource> = {},
  options: Partial<KindStoreOptions> & { store?: Store; clock?: ManualClock } = {},
) {
  const clock = options.clock ?? new ManualClock();
  const store = options.store ?? openWidgetStore(clock);
  const maintenance = { calls: 0 };
  const namespaces = new Map<string, 'active' | 'terminating'>([
    ['a', 'active'],
    ['b', 'active'],
    ['closing', 'terminating'],
  ]);
  const kind = await openKindStore({
    resource: { ...widgetResource, ...change },
    slice: testSlice,
    planeCallbacks: {
      namespaceState: (namespace) => namespaces.get(namespace) ?? 'missing',
      resolveOwner: (reference: OwnerReference, namespace) =>
        reference.kind === 'Widget'
          ? { group: 'test.example', resource: 'widgets', namespace, name: reference.name }
          : undefined,
    },
    onMaintenanceWork: () => {
      maintenance.calls += 1;
    },
    ...options,
    store,
    clock,
    log: options.log ?? silentLog,
  });
  return { kind, store, clock, maintenance, namespaces };
}

export interface TestContext extends RequestContext {
  readonly warnings: string[];
}

export function callerContext(change: Partial<RequestContext> = {}): TestContext {
  const warnings: string[] = [];
  return {
    user: { name: 'jane', groups: [] },
    system: false,
    namespace: 'a',
    signal: new AbortController().signal,
    warn: (text) => warnings.push(text),
    may: () => true,
    warnings,
    ...change,
  };
}

export const serverContext = (namespace = 'a') => callerContext({ system: true, namespace });

export function newWidget(
  name: string,
  change: { metadata?: JsonObject; spec?: JsonObject; status?: JsonObject } = {},
) {
  const { metadata, ...rest } = change;
  return {
    apiVersion: 'test.example/v1',
    kind: 'Widget',
    metadata: { ...(name === '' ? {} : { name }), ...metadata },
    ...rest,
  } as KubeObject;
}

export const testWriteOptions: WriteOptions = { dryRun: false, fieldManager: 'tester', fieldValidation: 'Warn' };
export const dryRun: WriteOptions = { ...testWriteOptions, dryRun: true };
export const testPatchOptions: PatchOptions = { ...testWriteOptions, force: false };

export function testDeleteOptions(change: Partial<DeleteOptions> = {}): DeleteOptions {
  return { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: {}, ...change };
}

export function testListOptions(change: Partial<ListOptions> = {}): ListOptions {
  return { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '', ...change };
}

export function testWatchOptions(change: Partial<WatchOptions> = {}): WatchOptions {
  return {
    ...testListOptions(),
    allowBookmarks: false,
    sendInitialEvents: undefined,
    timeoutMilliseconds: 1_800_000,
    ...change,
  };
}

export const testGetOptions = { resourceVersion: '' };

/** Returns the Status of the StatusError that a call rejects with. Throws if the call succeeds. */
export async function rejectionStatus(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StatusError))
    throw new Error(`expected a StatusError, got ${String(error)}`, { cause: error });
  const { code, reason, message, details, metadata } = error.status;
  return { code, reason, message, details, metadata };
}

/** Formats an event as `TYPE name@revision`, and a bookmark as `BOOKMARK @revision`. */
export function describeEvent(event: WatchEvent): string {
  if (event.type === 'ERROR') return `ERROR ${event.status.code} ${event.status.message}`;
  if (event.type === 'BOOKMARK') return `BOOKMARK${event.initialEventsEnd ? ' end' : ''} @${event.resourceVersion}`;
  const { name, resourceVersion } = event.object.object.metadata;
  return `${event.type} ${name}@${resourceVersion}`;
}

export async function takeEvents(stream: WatchStream, count: number): Promise<WatchEvent[]> {
  const iterator = reader(stream);
  const events: WatchEvent[] = [];
  while (events.length < count) {
    const next = await iterator.next();
    if (next.done === true) break;
    events.push(next.value);
  }
  return events;
}

const readers = new WeakMap<WatchStream, AsyncIterator<WatchEvent>>();

/**
 * Returns the iterator of a stream. Repeated calls with the same stream return the same iterator, so that `take`
 * continues with the next event.
 */
function reader(stream: WatchStream): AsyncIterator<WatchEvent> {
  const known = readers.get(stream) ?? stream[Symbol.asyncIterator]();
  readers.set(stream, known);
  return known;
}

export const wrongValueError = (field: string) => invalid(field, 'x', 'is wrong');
