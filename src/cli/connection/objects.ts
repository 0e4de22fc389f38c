import { isJsonObject, type JsonObject, type JsonValue, listAt, parseTrustedJson, textAt } from '@flotilla/json';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import { type Status, StatusError } from '../../api/status.ts';
import type { NamedKind, TypedKind } from '../kinds.ts';
import type { ApiRequest, ServerApi } from './server-api.ts';

/** Selects objects: `project` applies to kinds in projects; `undefined` selects all projects. */
export interface ObjectScope {
  readonly project?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends ObjectScope {
  /** Validates the request without writeQuery anything. */
  readonly dryRun?: boolean;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: JsonObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonObject };

/** The `Accept` header for a Table: the columns of the server, with formatted ages. */
export const tableMediaType = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** `below` is the name of an object, if any, and one of its subresources. */
export function objectPath(api: ServerApi, kind: NamedKind, where: ObjectScope, ...below: readonly string[]): string {
  return api.managementPath(
    ...(kind.inProject && where.project !== undefined ? ['namespaces', projectNamespace(where.project)] : []),
    kind.plural,
    ...below,
  );
}

/** Sends a request whose response is an object of this kind. */
export async function requestObject<Fields extends JsonObject>(
  api: ServerApi,
  kind: TypedKind<Fields>,
  ask: ApiRequest,
): Promise<TypedObject<Fields>> {
  return typedResponse(kind, await api.json(ask));
}

/** Returns a response as an object of its kind. This is the only cast of this client, which trusts its server. */
export function typedResponse<Fields extends JsonObject>(
  _kind: TypedKind<Fields>,
  response: JsonObject,
): TypedObject<Fields> {
  return response as TypedObject<Fields>;
}

export async function getObject<Fields extends JsonObject>(
  api: ServerApi,
  kind: NamedKind<Fields>,
  where: ObjectScope,
  name: string,
): Promise<TypedObject<Fields>> {
  return await requestObject(api, kind, { path: objectPath(api, kind, where, name), ...signalOf(where) });
}

/** Like `getObject`; `undefined` if there is none. */
export async function findObject<Fields extends JsonObject>(
  api: ServerApi,
  kind: NamedKind<Fields>,
  where: ObjectScope,
  name: string,
): Promise<TypedObject<Fields> | undefined> {
  return await getObject(api, kind, where, name).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  });
}

export async function listObjects<Fields extends JsonObject>(
  api: ServerApi,
  kind: NamedKind<Fields>,
  where: ObjectScope,
  query: ApiRequest['query'] = {},
): Promise<{ items: readonly TypedObject<Fields>[]; resourceVersion: string }> {
  const list = await api.json({ path: objectPath(api, kind, where), query, ...signalOf(where) });
  return {
    items: listAt(list, 'items')
      .filter(isJsonObject)
      .map((item) => typedResponse(kind, item)),
    resourceVersion: textAt(list, 'metadata', 'resourceVersion'),
  };
}

/** Sends an object that the server has not checked yet. */
export async function createObject<Fields extends JsonObject>(
  api: ServerApi,
  kind: NamedKind<Fields>,
  object: KubeObject,
  options: WriteOptions,
): Promise<TypedObject<Fields>> {
  const path = objectPath(api, kind, options);
  return await requestObject(api, kind, { method: 'POST', path, body: object, ...writeQuery(options) });
}

export async function replaceObject<Fields extends JsonObject>(
  api: ServerApi,
  kind: NamedKind<Fields>,
  object: KubeObject,
  options: WriteOptions,
): Promise<TypedObject<Fields>> {
  const path = objectPath(api, kind, options, object.metadata.name ?? '');
  return await requestObject(api, kind, { method: 'PUT', path, body: object, ...writeQuery(options) });
}

/** Sends a merge patch. With `metadata.resourceVersion` in it, the server rejects it if the object has changed. */
export async function patchObject<Fields extends JsonObject>(
  api: ServerApi,
  kind: NamedKind<Fields>,
  name: string,
  options: WriteOptions & { readonly patch: JsonValue },
): Promise<TypedObject<Fields>> {
  const path = objectPath(api, kind, options, name);
  const type = 'application/merge-patch+json';
  return await requestObject(api, kind, { method: 'PATCH', path, body: options.patch, type, ...writeQuery(options) });
}

/** Returns the object if finalizers hold it, otherwise a Status. */
export async function deleteObject(
  api: ServerApi,
  kind: NamedKind,
  name: string,
  options: WriteOptions & { readonly uid?: string | undefined },
): Promise<JsonObject> {
  const path = objectPath(api, kind, options, name);
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(options.uid === undefined ? {} : { preconditions: { uid: options.uid } }),
  };
  return await api.json({ method: 'DELETE', path, body, ...writeQuery(options) });
}

/** Yields watch events until the server ends the stream. Throws if the server ends it with an error. */
export async function* watchEvents(api: ServerApi, ask: ApiRequest): AsyncGenerator<WatchEvent> {
  const query = { ...ask.query, watch: 'true', allowWatchBookmarks: 'true' };
  for await (const line of api.lines({ ...ask, query })) {
    const event = parseTrustedJson(line) as unknown as WatchEvent | { type: 'ERROR'; object: Status };
    if (event.type === 'ERROR') throw new StatusError(event.object);
    yield event;
  }
}

/**
 * A write that was sent is awaited despite Ctrl-C: it is short, and only its response tells whether it was executed.
 * After Ctrl-C no other write starts.
 */
function writeQuery({ dryRun, signal }: WriteOptions): Pick<ApiRequest, 'query'> {
  signal?.throwIfAborted();
  return dryRun === true ? { query: { dryRun: 'All' } } : {};
}

function signalOf({ signal }: ObjectScope): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
