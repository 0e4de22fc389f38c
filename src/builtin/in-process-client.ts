import { parseFieldSelector } from '../api/selectors/field-selector.ts';
import { parseLabelSelector } from '../api/selectors/label-selector.ts';
import { StatusError } from '../api/status.ts';
import type { ApiClient, ListRequest, ObjectEvent, Place, ResourceClient } from '../client/resource-client.ts';
import type { KindStores } from '../controlplane/control-plane.ts';
import { systemContext } from '../controlplane/system-context.ts';
import { cloneJson, type JsonValue } from '../lib/json-value.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { resourceKey } from '../registry/rows.ts';
import type { ListOptions, PatchOptions, WriteOptions } from '../registry/verbs.ts';

/**
 * The client of the server's own controllers: the same contract as over HTTP, but straight to the verbs, as the
 * identity that no credential opens. Objects are the frozen ones of the watch caches; there is no second copy.
 */
export function inProcessClient(kinds: KindStores, fieldManager: string): ApiClient {
  return {
    resource(kind) {
      const store = kinds.get(resourceKey(kind));
      if (store === undefined) throw new Error(`${kind.kind} is not a stored kind of this control plane`);
      return resourceInProcess(store, fieldManager);
    },
  };
}

/** Controllers follow for as long as they run; half an hour is when a server would end a watch by itself. */
const watchMilliseconds = 30 * 60_000;

function resourceInProcess(store: KindStore, fieldManager: string): ResourceClient {
  const write: WriteOptions = { dryRun: false, fieldManager, fieldValidation: 'Ignore' };
  const patchOptions: PatchOptions = { ...write, force: false };
  const contextOf = (place: Pick<Place, 'namespace'>, signal?: AbortSignal) =>
    systemContext(place.namespace ?? '', signal);
  const mergePatch = (document: JsonValue) => ({ type: 'merge', document, findings: [] }) as const;

  return {
    async get(place, { signal } = {}) {
      return (await store.verbs.get(contextOf(place, signal), place.name, { resourceVersion: '' })).object;
    },
    async list(request = {}) {
      const options = { ...listOptions(request, ''), continue: request.continue ?? '' };
      const {
        items,
        resourceVersion,
        continue: more,
      } = await store.verbs.list(contextOf(request, request.signal), options);
      const objects = items.map((item) => item.object);
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
          ? ({ type: 'BOOKMARK', resourceVersion: event.resourceVersion } satisfies ObjectEvent)
          : ({ type: event.type, object: event.object.object } satisfies ObjectEvent);
      }
    },
    async create(object, { signal } = {}) {
      return (await store.verbs.create(contextOf(object.metadata, signal), cloneJson(object), write)).object;
    },
    async update(object, { signal } = {}) {
      const { name = '' } = object.metadata;
      return (await store.verbs.update(contextOf(object.metadata, signal), name, cloneJson(object), write)).object;
    },
    async updateStatus(object, { signal } = {}) {
      const { name = '' } = object.metadata;
      const status = statusOf(store);
      return (await status.update(contextOf(object.metadata, signal), name, cloneJson(object), write)).object;
    },
    async patch(place, document, { signal } = {}) {
      return (await store.verbs.patch(contextOf(place, signal), place.name, mergePatch(document), patchOptions)).object;
    },
    async patchStatus(place, document, { signal } = {}) {
      const status = statusOf(store);
      return (await status.patch(contextOf(place, signal), place.name, mergePatch(document), patchOptions)).object;
    },
    async delete(place, { signal, uid, propagationPolicy } = {}) {
      await store.verbs.delete(contextOf(place, signal), place.name, {
        dryRun: false,
        gracePeriodSeconds: undefined,
        propagationPolicy,
        preconditions: uid === undefined ? {} : { uid },
      });
    },
  };
}

function statusOf(store: KindStore): NonNullable<KindStore['status']> {
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
