import type { JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../../src/api/meta.ts';
import { type ApiRoot, managementRoot } from '../api-root.ts';
import { collectionUrl, type KindRef, type ObjectKey, objectUrl, queryText } from '../kind-ref.ts';
import { sendJson } from '../send.ts';

export interface WriteOptions {
  readonly root?: ApiRoot;
  /** True to validate the object on the server without writing it. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Returns the query of a write request. It makes the server reject unknown fields, so misspelled field names are not
 * silently ignored.
 */
function writeQuery({ dryRun }: WriteOptions): string {
  return queryText({ fieldValidation: 'Strict', fieldManager: 'console', dryRun: dryRun === true ? 'All' : undefined });
}

function signalled(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

export async function getObject<Type extends KubeObject>(
  kind: KindRef<Type>,
  place: ObjectKey,
  { root = managementRoot, signal, extended }: { root?: ApiRoot; signal?: AbortSignal; extended?: boolean } = {},
): Promise<Type> {
  const url = `${objectUrl(root, kind, place)}${queryText({ extended })}`;
  return await sendJson<Type>({ url, ...signalled(signal) });
}

export async function createObject<Type extends KubeObject>(
  kind: KindRef<Type>,
  object: JsonValue | object,
  options: WriteOptions & { namespace?: string } = {},
): Promise<Type> {
  const { root = managementRoot, namespace, signal } = options;
  const url = `${collectionUrl(root, kind, namespace)}${writeQuery(options)}`;
  return await sendJson<Type>({ method: 'POST', url, document: object, ...signalled(signal) });
}

/** Replaces the object with a PUT request. Fails with 409 if the object has changed since it was read. */
export async function replaceObject<Type extends KubeObject>(
  kind: KindRef<Type>,
  object: Type,
  options: WriteOptions = {},
): Promise<Type> {
  const { root = managementRoot, signal } = options;
  const { name = '', namespace } = object.metadata;
  const url = `${objectUrl(root, kind, { name, namespace })}${writeQuery(options)}`;
  return await sendJson<Type>({ method: 'PUT', url, document: object, ...signalled(signal) });
}

/** Changes the object with a merge patch. */
export async function patchObject<Type extends KubeObject>(
  kind: KindRef<Type>,
  place: ObjectKey,
  patch: JsonValue | object,
  options: WriteOptions = {},
): Promise<Type> {
  const { root = managementRoot, signal } = options;
  const url = `${objectUrl(root, kind, place)}${writeQuery(options)}`;
  const contentType = 'application/merge-patch+json';
  return await sendJson<Type>({ method: 'PATCH', url, document: patch, contentType, ...signalled(signal) });
}

export interface DeleteOptions extends WriteOptions {
  /** Deletes the object only if it has this uid, so a newer object with the same name is kept. Optional. */
  readonly uid?: string | undefined;
}

export async function deleteObject(kind: KindRef, place: ObjectKey, options: DeleteOptions = {}): Promise<void> {
  const { root = managementRoot, uid, signal } = options;
  const url = `${objectUrl(root, kind, place)}${writeQuery(options)}`;
  const document = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(uid === undefined ? {} : { preconditions: { uid } }),
  };
  await sendJson({ method: 'DELETE', url, document, ...signalled(signal) });
}

/** Sends a POST request to a subresource of the management API. `Answer` is the type of the response. */
export async function postSubresource<Answer>(
  kind: KindRef,
  place: ObjectKey,
  subresource: string,
  document: object,
): Promise<Answer> {
  const url = `${objectUrl(managementRoot, kind, place, subresource)}${writeQuery({})}`;
  return await sendJson<Answer>({ method: 'POST', url, document });
}
