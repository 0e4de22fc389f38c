import { isJsonObject, type JsonObject, type JsonValue, listAt, parseTrustedJson, textAt } from '@flotilla/json';
import type { KubeObject, TypedObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import { type Status, StatusError } from '../../api/status.ts';
import type { NamedKind, TypedKind } from '../kinds.ts';
import type { ApiRequest, ServerApi } from './server-api.ts';

/** Selects the project for kinds that are in projects. A `project` of `undefined` selects all projects. */
export interface ObjectScope {
  readonly project?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends ObjectScope {
  /** True to validate the request without writing anything. */
  readonly dryRun?: boolean;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: JsonObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonObject };

/** The `Accept` header that requests a Table, which contains the server's columns and formatted ages. */
export const tableMediaType = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** Returns the path of a kind. `below` is optional: the name of an object, and the name of a subresource. */
export function objectPath(api: ServerApi, kind: NamedKind, where: ObjectScope, ...below: readonly string[]): string {
  const segments = [
    ...(kind.inProject && where.project !== undefined ? ['namespaces', projectNamespace(where.project)] : []),
    kind.plural,
    ...below,
  ];
  if (kind.groupPath === undefined) return api.managementPath(...segments);
  return `/${api.access.apiPrefix}/management/${[kind.groupPath, ...segments.map(encodeURIComponent)].join('/')}`;
}

/** Sends a request whose response is an object of this kind. */
export async function requestObject<Fields extends JsonObject>(
  api: ServerApi,
  kind: TypedKind<Fields>,
  ask: ApiRequest,
): Promise<TypedObject<Fields>> {
  return typedResponse(kind, await api.json(ask));
}

/** Casts a response to an object of its kind without validating it, because this client trusts its server. */
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

/** Returns an object; `undefined` if it does not exist. */
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

/** Creates an object. Its fields are not typed, because only the server validates them. */
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

/**
 * Sends a merge patch. If the patch contains `metadata.resourceVersion`, the server rejects the patch if the object has
 * a newer version.
 */
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

/** Deletes an object. Returns the object if finalizers delay its deletion, otherwise a Status. */
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

/** Yields watch events until the server ends the stream. Throws if the server sends an ERROR event. */
export async function* watchEvents(api: ServerApi, ask: ApiRequest): AsyncGenerator<WatchEvent> {
  const query = { ...ask.query, watch: 'true', allowWatchBookmarks: 'true' };
  for await (const line of api.lines({ ...ask, query })) {
    const event = parseTrustedJson(line) as unknown as WatchEvent | { type: 'ERROR'; object: Status };
    if (event.type === 'ERROR') throw new StatusError(event.object);
    yield event;
  }
}

/**
 * Returns the query of a write request. Throws after Ctrl-C, so no further write starts. Ctrl-C does not cancel a write
 * that was sent, because only the response shows whether the server executed the write.
 */
function writeQuery({ dryRun, signal }: WriteOptions): Pick<ApiRequest, 'query'> {
  signal?.throwIfAborted();
  return dryRun === true ? { query: { dryRun: 'All' } } : {};
}

function signalOf({ signal }: ObjectScope): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
