import type { KubeObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import { type Status, StatusError } from '../../api/status.ts';
import { parseTrustedJson } from '../../lib/json-parse.ts';
import { listAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { NamedKind } from '../kinds.ts';
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

export function objectPath(
  api: ServerApi,
  kind: NamedKind,
  where: ObjectScope,
  name?: string,
  subresource?: string,
): string {
  return api.managementPath(
    ...(kind.inProject && where.project !== undefined ? ['namespaces', projectNamespace(where.project)] : []),
    kind.plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  );
}

export async function getObject(
  api: ServerApi,
  kind: NamedKind,
  where: ObjectScope,
  name: string,
): Promise<KubeObject> {
  return (await api.json({ path: objectPath(api, kind, where, name), ...signalOf(where) })) as KubeObject;
}

/** Like `getObject`; `undefined` if there is none. */
export async function findObject(
  api: ServerApi,
  kind: NamedKind,
  where: ObjectScope,
  name: string,
): Promise<KubeObject | undefined> {
  return await getObject(api, kind, where, name).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  });
}

export async function listObjects(
  api: ServerApi,
  kind: NamedKind,
  where: ObjectScope,
  query: ApiRequest['query'] = {},
): Promise<{ items: readonly KubeObject[]; resourceVersion: string }> {
  const list = await api.json({ path: objectPath(api, kind, where), query, ...signalOf(where) });
  return {
    items: listAt(list, 'items') as unknown as readonly KubeObject[],
    resourceVersion: (list as KubeObject).metadata.resourceVersion ?? '',
  };
}

export async function createObject(
  api: ServerApi,
  kind: NamedKind,
  object: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const path = objectPath(api, kind, options);
  return (await api.json({ method: 'POST', path, body: object, ...writeQuery(options) })) as KubeObject;
}

export async function replaceObject(
  api: ServerApi,
  kind: NamedKind,
  object: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const path = objectPath(api, kind, options, object.metadata.name ?? '');
  return (await api.json({ method: 'PUT', path, body: object, ...writeQuery(options) })) as KubeObject;
}

/** Sends a merge patch. With `metadata.resourceVersion` in it, the server rejects it if the object has changed. */
export async function patchObject(
  api: ServerApi,
  kind: NamedKind,
  name: string,
  patch: JsonValue,
  options: WriteOptions,
): Promise<KubeObject> {
  const path = objectPath(api, kind, options, name);
  const type = 'application/merge-patch+json';
  return (await api.json({ method: 'PATCH', path, body: patch, type, ...writeQuery(options) })) as KubeObject;
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
