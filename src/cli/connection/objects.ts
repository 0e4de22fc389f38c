import type { KubeObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import { type Status, StatusError } from '../../api/status.ts';
import { parseTrustedJson } from '../../lib/json-parse.ts';
import { listAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { NamedKind } from '../kinds.ts';
import type { Ask, ServerApi } from './server-api.ts';

/** Which objects: the project counts for kinds that live in one; undefined there: all projects. */
export interface Where {
  readonly project?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends Where {
  /** Everything is checked, nothing is written. */
  readonly dryRun?: boolean;
}

export type Change =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: JsonObject }
  | { readonly type: 'BOOKMARK'; readonly object: JsonObject };

/** What the server shows of a list: its own columns, ages worked out. */
export const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

export function objectPath(api: ServerApi, kind: NamedKind, where: Where, name?: string, subresource?: string): string {
  return api.managementPath(
    ...(kind.inProject && where.project !== undefined ? ['namespaces', projectNamespace(where.project)] : []),
    kind.plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  );
}

export async function getObject(api: ServerApi, kind: NamedKind, where: Where, name: string): Promise<KubeObject> {
  return (await api.json({ path: objectPath(api, kind, where, name), ...signalOf(where) })) as KubeObject;
}

/** As above; undefined: there is none of that name. */
export async function findObject(
  api: ServerApi,
  kind: NamedKind,
  where: Where,
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
  where: Where,
  query: Ask['query'] = {},
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
  return (await api.json({ method: 'POST', path, body: object, ...writing(options) })) as KubeObject;
}

export async function replaceObject(
  api: ServerApi,
  kind: NamedKind,
  object: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const path = objectPath(api, kind, options, object.metadata.name ?? '');
  return (await api.json({ method: 'PUT', path, body: object, ...writing(options) })) as KubeObject;
}

/** A merge patch; with `metadata.resourceVersion` in it, it is refused where the object has changed since. */
export async function patchObject(
  api: ServerApi,
  kind: NamedKind,
  name: string,
  patch: JsonValue,
  options: WriteOptions,
): Promise<KubeObject> {
  const path = objectPath(api, kind, options, name);
  const type = 'application/merge-patch+json';
  return (await api.json({ method: 'PATCH', path, body: patch, type, ...writing(options) })) as KubeObject;
}

/** The answer is the object, if something holds it, or a Status. */
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
  return await api.json({ method: 'DELETE', path, body, ...writing(options) });
}

/** Ends when the server ends it. What ends it for a reason is thrown. */
export async function* watchChanges(api: ServerApi, ask: Ask): AsyncGenerator<Change> {
  const query = { ...ask.query, watch: 'true', allowWatchBookmarks: 'true' };
  for await (const line of api.lines({ ...ask, query })) {
    const event = parseTrustedJson(line) as unknown as Change | { type: 'ERROR'; object: Status };
    if (event.type === 'ERROR') throw new StatusError(event.object);
    yield event;
  }
}

/**
 * A write that was sent is waited for, Ctrl-C or not: it takes moments, and only its answer tells whether it was carried
 * out. After a Ctrl-C no other one is begun.
 */
function writing({ dryRun, signal }: WriteOptions): Pick<Ask, 'query'> {
  signal?.throwIfAborted();
  return dryRun === true ? { query: { dryRun: 'All' } } : {};
}

function signalOf({ signal }: Where): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
