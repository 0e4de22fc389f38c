import { randomUUID } from 'node:crypto';
import { controllersUser } from '../api/naming.ts';
import { maxOwnerReferencesInEtcd } from '../api/validation/owner-references.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { KeyedSerializer } from '../lib/queue/keyed-serializer.ts';
import type { RevisionCheck, Store } from '../store/store.ts';
import { admitRequest } from './admission.ts';
import type { PlaneBuiltinObjects } from './cache/builtin-objects.ts';
import type { CachedObject } from './cache/cached-object.ts';
import type { KindRows, SliceObjects } from './cache/slice-objects.ts';
import { VersionCache } from './cache/version-cache.ts';
import { WatchCache, type WatchCacheOptions } from './cache/watch-cache.ts';
import type { RequestContext } from './context.ts';
import {
  defaultKindLimits,
  type IdGenerator,
  type KindLimits,
  type KindRuntime,
  type PlaneCallbacks,
} from './kind-runtime.ts';
import type { KindStore } from './kind-store.ts';
import { mutateRequest } from './mutation.ts';
import type { StoredResource } from './resource.ts';
import { objectRowKey, objectsRange, resourceKey } from './rows/rows.ts';
import { storeWithSealedRows, unsealedSliceObjects } from './rows/sealed-rows.ts';
import { create } from './verbs/create.ts';
import { deleteObject, handleDeadline } from './verbs/delete.ts';
import { deleteCollection } from './verbs/delete-collection.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import { update } from './verbs/update.ts';
import { SubscriberGroups } from './watch/subscriber-groups.ts';
import { watch } from './watch/watch.ts';
import { randomSuffix } from './write/generate-name.ts';
import type { MaintenanceWork } from './write/maintenance-work.ts';
import { requestReconcile } from './write/request-reconcile.ts';
import { takeGuard } from './write/take-guard.ts';

export interface KindStoreOptions {
  readonly resource: StoredResource;
  readonly store: Store;
  /** The slice of the control plane. Maintenance rows use it as the name of the plane. */
  readonly slice: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly ids?: IdGenerator;
  readonly planeCallbacks: PlaneCallbacks;
  /**
   * A secret text that all processes share and that tenants do not know. It determines which subjects of a limit share
   * a guard. Optional, for kinds without limits.
   */
  readonly guardSecret?: string;
  /** Called after each commit that wrote maintenance rows. Must not throw. */
  readonly onMaintenanceWork?: (left: MaintenanceWork) => void;
  readonly limits?: Partial<KindLimits>;
  /**
   * The rows of all kinds of the plane, if they were read together. If absent, the kind reads its own rows from the
   * store.
   */
  readonly shared?: SliceObjects | undefined;
  /** The built-in objects of the kind; absent if it has none. */
  readonly builtinObjects?: PlaneBuiltinObjects | undefined;
}

/** Fills the watch cache of a kind and returns its store. Rejects with an API error if the store cannot be read. */
export async function openKindStore(options: KindStoreOptions): Promise<KindStore> {
  const cacheOptions = cacheOptionsOf(options);
  return storeWithCache(options, cacheOptions.store, await WatchCache.open(cacheOptions));
}

/** Returns the store of a kind that has no rows (`SliceObjects.emptyRowsOf`). Its rows must not be sealed. */
export function openEmptyKindStore(options: KindStoreOptions, rows: KindRows): KindStore {
  return storeWithCache(options, options.store, WatchCache.openWithRows(cacheOptionsOf(options), rows));
}

function cacheOptionsOf(options: KindStoreOptions): WatchCacheOptions {
  const { resource, slice, clock, log, builtinObjects } = options;
  const { store, shared } = withSealing(options);
  const { recentChanges, recentSize, decodedSize } = { ...defaultKindLimits, ...options.limits };
  return {
    resource,
    store,
    slice,
    clock,
    log,
    recent: { changes: recentChanges, size: recentSize },
    decodedSize,
    shared,
    builtinObjects,
  };
}

function storeWithCache(options: KindStoreOptions, store: Store, cache: WatchCache): KindStore {
  const { resource, slice, clock, log } = options;
  const storeLimits = store.isShared ? { ownerReferences: maxOwnerReferencesInEtcd } : {};
  const { objectBytes, ...limits } = { ...defaultKindLimits, ...storeLimits, ...options.limits };
  const subscribers = new SubscriberGroups(log);
  cache.listen(subscribers);
  const kind: KindRuntime = {
    resource,
    store,
    slice,
    clock,
    log,
    limits: { ...limits, objectBytes: Math.min(objectBytes, store.limits.valueBytes) },
    cache,
    subscribers,
    createQueues: new KeyedSerializer(),
    ids: options.ids ?? { uid: randomUUID, suffix: randomSuffix },
    planeCallbacks: options.planeCallbacks,
    guardSecret: options.guardSecret ?? '',
    onMaintenanceWork: options.onMaintenanceWork ?? (() => {}),
  };
  return kindStore(kind);
}

/**
 * Creates the store of one version of a kind: its storage version, or another version on the first `inVersion` call.
 */
function kindStore(kind: KindRuntime): KindStore {
  const { cache, subscribers } = kind;
  const status = statusVerbsOf(kind);
  const versions = new Map<string, KindStore>();
  return {
    get resource() {
      return kind.resource;
    },
    isShared: kind.store.isShared,
    verbs: verbsOf(kind),
    get status() {
      return kind.resource.hasStatus ? status : undefined;
    },
    peek: (namespace, name) => cache.get(namespace, name)?.served,
    peekAll: (namespace) => cache.take(namespace),
    count: (namespace) => cache.count(namespace),
    bytes: () => cache.bytes,
    objectBytes: () => cache.objectBytes,
    unchangedCheck: (namespace, name) => unchanged(kind, cache.get(namespace, name)),
    mutateRequest: (request) => mutateRequest(kind, request),
    admitRequest: (request) => admitRequest(kind, request),
    takeGuard: (limit, subject) => takeGuard(kind, limit, subject),
    freshRevision: () => cache.freshRevision(),
    peekHidden: (namespace, name) => cache.get(namespace, name)?.record.hidden,
    peekHiddenParts(namespace, name) {
      if (name === undefined) return cache.take(namespace);
      const found = cache.get(namespace, name);
      return found === undefined ? [] : [found];
    },
    byClaim: (claim) => cache.byClaim(claim)?.served,
    listen: (listener, onReload) =>
      cache.listen({ changed: (change) => listener(change), reloaded: () => onReload?.() }),
    handleDeadline: (namespace, name, fence) => handleDeadline(kind, maintenanceContext(namespace, fence), name),
    requestReconcile: (namespace, name) => requestReconcile(kind, { namespace, name }),
    redefine(next) {
      // A plane usually calls `redefine` with an unchanged definition right after it has opened the kind. In that case,
      // the objects of the kind need not be created again.
      if (next === kind.resource) return;
      kind.resource = next;
      cache.redefine(next);
    },
    inVersion(resource) {
      const known = versions.get(resource.version);
      known?.redefine(resource);
      const store = known ?? kindStore(otherVersion(kind, resource));
      versions.set(resource.version, store);
      return store;
    },
    endWatches() {
      subscribers.endAll();
      for (const version of versions.values()) version.endWatches();
    },
    close: () => cache.close(),
  };
}

function otherVersion(kind: KindRuntime, resource: StoredResource): KindRuntime {
  const cache = new VersionCache(kind.cache, resource, kind.limits.decodedSize);
  const subscribers = new SubscriberGroups(kind.log);
  cache.listen(subscribers);
  return { ...kind, resource, cache, subscribers };
}

function unchanged({ slice, resource }: KindRuntime, object: CachedObject | undefined): RevisionCheck | undefined {
  if (object === undefined) return undefined;
  return {
    key: objectRowKey(slice, resourceKey(resource), object.namespace, object.name),
    revision: object.rowRevision,
  };
}

function withSealing({ resource, store, slice, shared }: KindStoreOptions) {
  const { sealing } = resource;
  if (sealing === undefined) return { store, shared };
  return {
    store: storeWithSealedRows(store, objectsRange(slice, resourceKey(resource)), sealing),
    shared: shared && unsealedSliceObjects(shared, sealing),
  };
}

/**
 * Returns a copy of the runtime for a write. Redefining the kind does not affect the copy, so that validation and
 * commit of the write use the same definition.
 */
function withFixedDefinition(kind: KindRuntime): KindRuntime {
  if (kind.resource.form === undefined) return kind;
  const known = fixedRuntimes.get(kind);
  if (known !== undefined && known.resource === kind.resource) return known;
  const current = { ...kind };
  fixedRuntimes.set(kind, current);
  return current;
}

/** The latest copy that `withFixedDefinition` returned, by runtime. Writes share it until the kind is redefined. */
const fixedRuntimes = new WeakMap<KindRuntime, KindRuntime>();

function verbsOf(kind: KindRuntime): KindStore['verbs'] {
  return {
    get: (context, name, options) => get(kind, context, name, options),
    list: (context, options) => list(kind, context, options),
    watch: (context, options) => watch(kind, context, options),
    create: (context, object, options) => create(withFixedDefinition(kind), context, object, options),
    update: (context, name, sent, options) =>
      update(withFixedDefinition(kind), context, { part: 'main', name, sent }, options),
    patch: (context, name, sent, options) =>
      patch(withFixedDefinition(kind), context, { part: 'main', name, sent }, options),
    delete: (context, name, options) => deleteObject(kind, context, name, options),
    deletecollection: (context, which, options) => deleteCollection(kind, context, which, options),
  };
}

/** Returns the verbs of the status subresource. A GET of the status returns the whole object (rule GET-07). */
function statusVerbsOf(kind: KindRuntime): NonNullable<KindStore['status']> {
  return {
    get: (context, name, options) => get(kind, context, name, options),
    update: (context, name, sent, options) =>
      update(withFixedDefinition(kind), context, { part: 'status', name, sent }, options),
    patch: (context, name, sent, options) =>
      patch(withFixedDefinition(kind), context, { part: 'status', name, sent }, options),
  };
}

function maintenanceContext(namespace: string, fence: RevisionCheck | undefined): RequestContext {
  return {
    user: { name: controllersUser, groups: [] },
    system: true,
    namespace,
    signal: new AbortController().signal,
    warn() {},
    may: () => true,
    ...(fence === undefined ? {} : { fence }),
  };
}
