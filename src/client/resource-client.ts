import type { JsonObject, JsonValue } from '@flotilla/json';
import type { AnyFields, TypedObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';

/**
 * The operations of an API client on one kind, over HTTP or in process. Every function rejects with a StatusError if
 * the response is an error. Returned objects may be shared, so callers must not modify them.
 */
export interface ResourceClient<Fields extends JsonObject = AnyFields> {
  get(key: ObjectKey, options?: CallOptions): Promise<TypedObject<Fields>>;
  list(options?: ListRequest): Promise<ObjectList<Fields>>;
  /**
   * Watches the kind. The iteration ends when the server ends the watch; the caller then has to list or watch again.
   */
  watch(options: WatchRequest): AsyncIterable<ObjectEvent<Fields>>;
  create(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  update(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  updateStatus(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  /**
   * Applies a JSON merge patch. If the patch contains `metadata.resourceVersion`, the server rejects it with 409 when
   * the object has a different version.
   */
  patch(key: ObjectKey, patch: JsonValue, options?: CallOptions): Promise<TypedObject<Fields>>;
  patchStatus(key: ObjectKey, patch: JsonValue, options?: CallOptions): Promise<TypedObject<Fields>>;
  delete(key: ObjectKey, options?: DeleteRequest): Promise<void>;
}

/** Returns a client for the operations on a kind. */
export interface ApiClient {
  resource<Fields extends JsonObject>(kind: ResourceKind<Fields>): ResourceClient<Fields>;
}

export interface ObjectKey {
  /** The namespace. Empty or absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ListRequest extends CallOptions {
  /** The namespace to list. Optional; defaults to all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The maximum number of items in the response. */
  readonly limit?: number;
  /** The continue token from the previous page of the list. */
  readonly continue?: string;
}

export interface WatchRequest extends Omit<ListRequest, 'limit' | 'continue'> {
  /** The watch reports changes after this version. If absent, the watch first reports all existing objects as ADDED. */
  readonly resourceVersion?: string;
}

export interface DeleteRequest extends CallOptions {
  /** The server rejects the request with 409 if the object has another uid. Optional. */
  readonly uid?: string;
  /** The server rejects the request with 409 if the object has another version. Optional. */
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

export interface ObjectList<Fields extends JsonObject = AnyFields> {
  readonly items: readonly TypedObject<Fields>[];
  readonly resourceVersion: string;
  /** The token for requesting the next page. Absent on the last page. */
  readonly continue?: string;
}

/** One event of a watch. A BOOKMARK has no object; its version shows how far the watch has progressed. */
export type ItemEvent<Item> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Item }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export type ObjectEvent<Fields extends JsonObject = AnyFields> = ItemEvent<TypedObject<Fields>>;
