import { cloneJson, type JsonObject, type JsonValue } from '@flotilla/json';
import { groupResourceOf, type ResourceKind, typedObject } from '../api/resource.ts';
import { parseFieldSelector } from '../api/selectors/field-selector.ts';
import { parseLabelSelector } from '../api/selectors/label-selector.ts';
import { notFound, StatusError } from '../api/status.ts';
import type { ApiClient, ListRequest, ObjectKey, ResourceClient } from '../client/resource-client.ts';
import { systemContext } from '../controlplane/system-context.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { findStore, type KindStores } from '../registry/kind-stores.ts';
import type { ListOptions, PatchOptions, ServedObject, WriteOptions } from '../registry/verbs.ts';
import type { RevisionCheck } from '../store/store.ts';

/**
 * Returns the API client of the server's own controllers. It has the same contract as the HTTP client, but calls the
 * verbs directly. It uses the system identity, which no credential gives. It returns the frozen objects of the watch
 * caches without copying them. All writes contain the check `fence` (`RequestContext.fence`).
 */
export function inProcessClient(kinds: KindStores, fieldManager: string, fence?: RevisionCheck): ApiClient {
  return {
    resource(kind) {
      const store = findStore(kinds, kind);
      // Throw 404 for an unknown kind, as a server does.
      if (store === undefined) throw notFound(groupResourceOf(kind), '');
      return resourceInProcess(kind, store, fieldManager, fence);
    },
  };
}

/**
 * The duration of one watch, in milliseconds. After this time, the server ends the watch and the controller opens a new
 * one, as with any HTTP client.
 */
const watchMilliseconds = 30 * 60_000;

function resourceInProcess<Fields extends JsonObject>(
  kind: ResourceKind<Fields>,
  store: KindStore<Fields>,
  fieldManager: string,
  fence: RevisionCheck | undefined,
): ResourceClient<Fields> {
  const typed = ({ object }: ServedObject) => typedObject(kind, object);
  const write: WriteOptions = { dryRun: false, fieldManager, fieldValidation: 'Ignore' };
  const patchOptions: PatchOptions = { ...write, force: false };
  const contextOf = (key: Pick<ObjectKey, 'namespace'>, signal?: AbortSignal) =>
    systemContext(key.namespace ?? '', signal, fence);
  const mergePatch = (document: JsonValue) => ({ type: 'merge', document, findings: [] }) as const;

  return {
    async get(key, { signal } = {}) {
      return typed(await store.verbs.get(contextOf(key, signal), key.name, { resourceVersion: '' }));
    },
    async list(request = {}) {
      const options = { ...listOptions(request, ''), continue: request.continue ?? '' };
      const {
        items,
        resourceVersion,
        continue: more,
      } = await store.verbs.list(contextOf(request, request.signal), options);
      const objects = items.map(typed);
      return { items: objects, resourceVersion, ...(more === undefined ? {} : { continue: more }) };
    },
    async *watch(request) {
      const stream = await store.verbs.watch(contextOf(request, request.signal), {
        ...listOptions(request, request.resourceVersion ?? ''),
        allowBookmarks: true,
        sendInitialEvents: undefined,
        timeoutMilliseconds: watchMilliseconds,
      });
      for await (const event of stream) {
        if (event.type === 'ERROR') throw new StatusError(event.status);
        yield event.type === 'BOOKMARK'
          ? { type: 'BOOKMARK', resourceVersion: event.resourceVersion }
          : { type: event.type, object: typed(event.object) };
      }
    },
    async create(object, { signal } = {}) {
      return typed(await store.verbs.create(contextOf(object.metadata, signal), cloneJson(object), write));
    },
    async update(object, { signal } = {}) {
      const { name = '' } = object.metadata;
      return typed(await store.verbs.update(contextOf(object.metadata, signal), name, cloneJson(object), write));
    },
    async updateStatus(object, { signal } = {}) {
      const { name = '' } = object.metadata;
      const status = statusOf(store);
      return typed(await status.update(contextOf(object.metadata, signal), name, cloneJson(object), write));
    },
    async patch(key, document, { signal } = {}) {
      return typed(await store.verbs.patch(contextOf(key, signal), key.name, mergePatch(document), patchOptions));
    },
    async patchStatus(key, document, { signal } = {}) {
      const status = statusOf(store);
      return typed(await status.patch(contextOf(key, signal), key.name, mergePatch(document), patchOptions));
    },
    async delete(key, { signal, uid, resourceVersion, propagationPolicy } = {}) {
      await store.verbs.delete(contextOf(key, signal), key.name, {
        dryRun: false,
        gracePeriodSeconds: undefined,
        propagationPolicy,
        preconditions: {
          ...(uid === undefined ? {} : { uid }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        },
      });
    },
  };
}

function statusOf(store: Pick<KindStore, 'status' | 'resource'>): NonNullable<KindStore['status']> {
  if (store.status === undefined) throw new Error(`${store.resource.kind} has no status`);
  return store.status;
}

function listOptions(request: ListRequest, resourceVersion: string): ListOptions {
  return {
    ...(request.labelSelector === undefined ? {} : { labelSelector: parseLabelSelector(request.labelSelector) }),
    ...(request.fieldSelector === undefined ? {} : { fieldSelector: parseFieldSelector(request.fieldSelector) }),
    resourceVersion,
    resourceVersionMatch: '',
    limit: request.limit ?? 0,
    continue: '',
  };
}
