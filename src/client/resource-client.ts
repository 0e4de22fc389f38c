import type { JsonObject, JsonValue } from '@flotilla/json';
import type { TypedObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';

/**
 * The operations of an API client on one kind, over HTTP or inside the process. Every function rejects with StatusError
 * for an error response. Returned objects may be shared; callers must not modify them.
 */
export interface ResourceClient<Fields extends JsonObject = JsonObject> {
  get(place: ObjectKey, options?: CallOptions): Promise<TypedObject<Fields>>;
  list(options?: ListRequest): Promise<ObjectList<Fields>>;
  /** Ends when the server ends it; the client must then list or watch again. */
  watch(options: WatchRequest): AsyncIterable<ObjectEvent<Fields>>;
  create(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  update(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  updateStatus(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  /** A merge patch. With `metadata.resourceVersion` in it, the server rejects it if the object has changed since. */
  patch(place: ObjectKey, patch: JsonValue, options?: CallOptions): Promise<TypedObject<Fields>>;
  patchStatus(place: ObjectKey, patch: JsonValue, options?: CallOptions): Promise<TypedObject<Fields>>;
  delete(place: ObjectKey, options?: DeleteRequest): Promise<void>;
}

/** Creates clients for kinds. */
export interface ApiClient {
  resource<Fields extends JsonObject>(kind: ResourceKind<Fields>): ResourceClient<Fields>;
}

export interface ObjectKey {
  /** Empty or absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ListRequest extends CallOptions {
  /** Optional; defaults to all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The maximum number of items. */
  readonly limit?: number;
  /** The continue token of the previous page. */
  readonly continue?: string;
}

export interface WatchRequest extends Omit<ListRequest, 'limit' | 'continue'> {
  /** Watch from after this version. Optional; without it the watch begins with all existing objects. */
  readonly resourceVersion?: string;
}

export interface DeleteRequest extends CallOptions {
  readonly uid?: string;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

export interface ObjectList<Fields extends JsonObject = JsonObject> {
  readonly items: readonly TypedObject<Fields>[];
  readonly resourceVersion: string;
  /** The token of the next page. Absent on the last page. */
  readonly continue?: string;
}

/** A bookmark carries no object; it reports how far the stream has progressed. */
export type ItemEvent<Item> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Item }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export type ObjectEvent<Fields extends JsonObject = JsonObject> = ItemEvent<TypedObject<Fields>>;
