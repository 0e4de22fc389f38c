import type { TypedObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { JsonObject, JsonValue } from '../lib/json-value.ts';

/**
 * What one who uses the API does with a kind, over HTTP or inside the process. Every function rejects with
 * StatusError for an answer that says no; objects handed out may be shared and are never changed by the caller.
 */
export interface ResourceClient<Fields extends JsonObject = JsonObject> {
  get(place: Place, options?: CallOptions): Promise<TypedObject<Fields>>;
  list(options?: ListRequest): Promise<ObjectList<Fields>>;
  /** Ends when the server ends it; a client that wants to go on lists or watches again. */
  watch(options: WatchRequest): AsyncIterable<ObjectEvent<Fields>>;
  create(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  update(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  updateStatus(object: TypedObject<Fields>, options?: CallOptions): Promise<TypedObject<Fields>>;
  /** A merge patch; with `metadata.resourceVersion` inside it is refused if the object has changed since. */
  patch(place: Place, patch: JsonValue, options?: CallOptions): Promise<TypedObject<Fields>>;
  patchStatus(place: Place, patch: JsonValue, options?: CallOptions): Promise<TypedObject<Fields>>;
  delete(place: Place, options?: DeleteRequest): Promise<void>;
}

/** Gives the client of a kind. */
export interface ApiClient {
  resource<Fields extends JsonObject>(kind: ResourceKind<Fields>): ResourceClient<Fields>;
}

export interface Place {
  /** '' or absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ListRequest extends CallOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** No more than so many. */
  readonly limit?: number;
  /** What the list before said: this one goes on where it ended. */
  readonly continue?: string;
}

export interface WatchRequest extends Omit<ListRequest, 'limit' | 'continue'> {
  /** Go on after this; absent: begin with everything there is. */
  readonly resourceVersion?: string;
}

export interface DeleteRequest extends CallOptions {
  readonly uid?: string;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

export interface ObjectList<Fields extends JsonObject = JsonObject> {
  readonly items: readonly TypedObject<Fields>[];
  readonly resourceVersion: string;
  /** Where there are more than were asked for. */
  readonly continue?: string;
}

/** A bookmark carries no object of use; it says how far the stream has come. */
export type ItemEvent<Item> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Item }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export type ObjectEvent<Fields extends JsonObject = JsonObject> = ItemEvent<TypedObject<Fields>>;
