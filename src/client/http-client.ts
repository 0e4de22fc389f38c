import { type JsonObject, type JsonValue, parseTrustedJson, writeJson } from '@flotilla/json';
import { apiVersionOf, type KubeObject, type ListMeta } from '../api/meta.ts';
import { type ResourceKind, typedObject } from '../api/resource.ts';
import { type Status, StatusError } from '../api/status.ts';
import { readLines } from '../lib/read-lines.ts';
import type {
  ApiClient,
  DeleteRequest,
  ObjectEvent,
  ObjectKey,
  ResourceClient,
  WatchRequest,
} from './resource-client.ts';
import { type FetchedResponse, type RequestSender, sendRequest } from './send-request.ts';

export type { Fetch } from './send-request.ts';

export interface HttpClientOptions extends RequestSender {
  /** The base URL of a control plane, for example `https://host:8443/kubernetes/management`. */
  readonly server: string;
}

export function httpClient(options: HttpClientOptions): ApiClient {
  return { resource: (kind) => resourceOverHttp(options, kind) };
}

function resourceOverHttp<Fields extends JsonObject>(
  options: HttpClientOptions,
  kind: ResourceKind<Fields>,
): ResourceClient<Fields> {
  const root = `${options.server}${kind.group === '' ? '/api' : '/apis'}/${apiVersionOf(kind)}`;

  function collection(namespace: string | undefined): string {
    const below = kind.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    return `${root}${below}/${kind.plural}`;
  }

  function item(key: ObjectKey, subresource = ''): string {
    const path = `${collection(key.namespace)}/${encodeURIComponent(key.name)}`;
    return subresource === '' ? path : `${path}/${subresource}`;
  }

  function placeOf(object: KubeObject): ObjectKey {
    const { name = '', namespace } = object.metadata;
    return { name, ...(namespace === undefined ? {} : { namespace }) };
  }

  async function send(
    method: string,
    url: string,
    signal: AbortSignal | undefined,
    body?: { type: string; document: JsonValue },
  ): Promise<FetchedResponse> {
    return await sendRequest(options, {
      method,
      url,
      ...(body === undefined ? {} : { body: { type: body.type, text: writeJson(body.document) } }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async function call(
    method: string,
    url: string,
    signal: AbortSignal | undefined,
    body?: { type: string; document: JsonValue },
  ): Promise<KubeObject> {
    const response = await send(method, url, signal, body);
    return parseTrustedJson(await response.text()) as KubeObject;
  }

  const callFor = async (...request: Parameters<typeof call>) => typedObject(kind, await call(...request));
  const json = (document: JsonValue) => ({ type: 'application/json', document });
  const mergePatch = (document: JsonValue) => ({ type: 'application/merge-patch+json', document });

  return {
    get: (key, { signal } = {}) => callFor('GET', item(key), signal),
    async list({ namespace, signal, ...selectors } = {}) {
      const list = await call('GET', `${collection(namespace)}${query(selectors)}`, signal);
      const { resourceVersion = '', continue: nextPage = '' } = list.metadata as ListMeta;
      return {
        // `items` is null in an empty list of PartialObjectMetadata.
        items: ((list.items ?? []) as unknown as KubeObject[]).map((object) => typedObject(kind, object)),
        resourceVersion,
        // The continue token of the last page is empty.
        ...(nextPage === '' ? {} : { continue: nextPage }),
      };
    },
    async *watch({ namespace, resourceVersion, signal, ...selectors }: WatchRequest) {
      const url = `${collection(namespace)}${query({ ...selectors, resourceVersion, watch: 'true', allowWatchBookmarks: 'true' })}`;
      const response = await send('GET', url, signal);
      if (response.body === null) return;
      for await (const line of readLines(response.body as AsyncIterable<Uint8Array>)) yield toEvent(kind, line);
    },
    create: (object, { signal } = {}) => callFor('POST', collection(object.metadata.namespace), signal, json(object)),
    update: (object, { signal } = {}) => callFor('PUT', item(placeOf(object)), signal, json(object)),
    updateStatus: (object, { signal } = {}) => callFor('PUT', item(placeOf(object), 'status'), signal, json(object)),
    patch: (key, patch, { signal } = {}) => callFor('PATCH', item(key), signal, mergePatch(patch)),
    patchStatus: (key, patch, { signal } = {}) => callFor('PATCH', item(key, 'status'), signal, mergePatch(patch)),
    async delete(key, { signal, ...options } = {}) {
      await call('DELETE', item(key), signal, json(deleteOptions(options)));
    },
  };
}

function deleteOptions({ uid, resourceVersion, propagationPolicy }: Omit<DeleteRequest, 'signal'>): JsonObject {
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
}

function query(members: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) pairs.append(name, String(value));
  return pairs.size === 0 ? '' : `?${pairs}`;
}

function toEvent<Fields extends JsonObject>(kind: ResourceKind<Fields>, line: string): ObjectEvent<Fields> {
  const event = parseTrustedJson(line) as {
    type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
    object: KubeObject;
  };
  if (event.type === 'ERROR') throw new StatusError(event.object as unknown as Status);
  if (event.type === 'BOOKMARK') {
    return { type: 'BOOKMARK', resourceVersion: event.object.metadata.resourceVersion ?? '' };
  }
  return { type: event.type, object: typedObject(kind, event.object) };
}
