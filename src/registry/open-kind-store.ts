import { randomUUID } from 'node:crypto';
import { controllersUser } from '../api/naming.ts';
import type { Clock } from '../lib/clock.ts';
import { Lanes } from '../lib/lanes.ts';
import type { Store } from '../store/store.ts';
import type { RequestContext } from './context.ts';
import { create } from './create.ts';
import { deleteObject, settleDeadline } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { randomSuffix } from './generate-name.ts';
import { get } from './get.ts';
import { type Collaborators, defaultLimits, type Ids, type KindLimits, type KindRuntime } from './kind-runtime.ts';
import type { KindStore } from './kind-store.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import type { StoredResource } from './resource.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';
import { WatchCache } from './watch-cache.ts';
import { WatchGroups } from './watch-groups.ts';

export interface KindStoreOptions {
  readonly resource: StoredResource;
  readonly store: Store;
  /** The control plane's share of the store; also its name in the rows for upkeep. */
  readonly slice: string;
  readonly clock: Clock;
  readonly ids?: Ids;
  readonly collaborators: Collaborators;
  /** Called after every commit that left work for upkeep; must not throw. */
  readonly onUpkeep?: () => void;
  readonly limits?: Partial<KindLimits>;
}

/** Fills the cache of the kind and gives its verbs. Rejects with an API error if the store cannot be read. */
export async function openKindStore(options: KindStoreOptions): Promise<KindStore> {
  const { resource, store, slice, clock } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const cache = await WatchCache.open({
    resource,
    store,
    slice,
    recent: { changes: limits.recentChanges, size: limits.recentSize },
    decodedSize: limits.decodedSize,
  });
  const watchers = new WatchGroups();
  cache.listen(watchers);
  const kind: KindRuntime = {
    resource,
    store,
    slice,
    clock,
    limits,
    cache,
    watchers,
    lanes: new Lanes(),
    ids: options.ids ?? { uid: randomUUID, suffix: randomSuffix },
    collaborators: options.collaborators,
    onUpkeep: options.onUpkeep ?? (() => {}),
  };
  return {
    resource,
    verbs: verbsOf(kind),
    ...(resource.hasStatus ? { status: statusVerbsOf(kind) } : {}),
    peek: (namespace, name) => cache.get(namespace, name)?.served,
    peekAll: (namespace) => cache.take(namespace),
    count: (namespace) => cache.count(namespace),
    peekHidden: (namespace, name) => cache.get(namespace, name)?.record.hidden,
    byClaim: (claim) => cache.byClaim(claim)?.served,
    listen: (listener) => cache.listen({ changed: listener }),
    settleDeadline: (namespace, name) => settleDeadline(kind, upkeepContext(namespace), name),
    close: () => cache.close(),
  };
}

function verbsOf(kind: KindRuntime): KindStore['verbs'] {
  return {
    get: (context, name, options) => get(kind, context, name, options),
    list: (context, options) => list(kind, context, options),
    watch: (context, options) => watch(kind, context, options),
    create: (context, object, options) => create(kind, context, object, options),
    update: (context, name, sent, options) => update(kind, context, 'main', name, sent, options),
    patch: (context, name, sent, options) => patch(kind, context, 'main', name, sent, options),
    delete: (context, name, options) => deleteObject(kind, context, name, options),
    deletecollection: (context, which, options) => deleteCollection(kind, context, which, options),
  };
}

/** GET-07: reading the status gives the whole object. */
function statusVerbsOf(kind: KindRuntime): NonNullable<KindStore['status']> {
  return {
    get: (context, name, options) => get(kind, context, name, options),
    update: (context, name, sent, options) => update(kind, context, 'status', name, sent, options),
    patch: (context, name, sent, options) => patch(kind, context, 'status', name, sent, options),
  };
}

function upkeepContext(namespace: string): RequestContext {
  return {
    user: { name: controllersUser, groups: [] },
    system: true,
    namespace,
    signal: new AbortController().signal,
    warn() {},
    may: () => true,
  };
}
