import type { JsonValue } from '@flotilla/json';
import type { KubeObject, ObjectMeta } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { FieldSelector } from '../api/selectors/field-selector.ts';
import type { LabelSelector } from '../api/selectors/label-selector.ts';
import type { Status } from '../api/status.ts';
import type { Feed } from '../lib/feed.ts';
import type { RequestContext } from './context.ts';

/**
 * The verbs of a kind, as functions that request handlers call. A kind supports the verbs that are present: discovery
 * lists them, and a request for another verb gets 405. Stored kinds get their verbs from `storedVerbs`. Kinds without
 * stored objects, such as access reviews, implement their own.
 *
 * All functions throw StatusError for errors of the client.
 */
export interface ResourceVerbs {
  get?(context: RequestContext, name: string, options: GetOptions): Promise<ServedObject>;
  list?(context: RequestContext, options: ListOptions): Promise<ServedList>;
  watch?(context: RequestContext, options: WatchOptions): Promise<WatchStream>;
  create?(context: RequestContext, object: KubeObject, options: WriteOptions): Promise<ServedObject>;
  /**
   * Replaces the object. `sent` is the decoded request body: its kind is checked, unknown fields are pruned, and
   * defaults are set.
   */
  update?(context: RequestContext, name: string, sent: KubeObject, options: WriteOptions): Promise<WriteResult>;
  patch?(context: RequestContext, name: string, patch: Patch, options: PatchOptions): Promise<WriteResult>;
  delete?(context: RequestContext, name: string, options: DeleteOptions): Promise<DeleteResult>;
  deletecollection?(context: RequestContext, list: ListOptions, options: DeleteOptions): Promise<ServedList>;
}

/** The verbs of a subresource: GET, PUT and PATCH of `<plural>/<name>/<subresource>`, and POST as `createNamed`. */
export interface SubresourceVerbs extends Pick<ResourceVerbs, 'get' | 'update' | 'patch'> {
  /** Handles POST to `<plural>/<name>/<subresource>`. */
  createNamed?(context: RequestContext, name: string, object: KubeObject, options: WriteOptions): Promise<ServedObject>;
  /**
   * Handles a GET whose response is not an object, such as a log. Used instead of `get`, and requires the same
   * permission as `get`.
   */
  read?(context: RequestContext, name: string, query: URLSearchParams): Promise<ForwardedResponse>;
  /**
   * Handles GET and POST requests that open a connection to another server, such as `exec`. The options are in the
   * query.
   */
  connect?(context: RequestContext, name: string, query: URLSearchParams): Promise<ForwardedResponse>;
}

/** A response of another server, which is forwarded as fast as the client reads it. */
export interface ForwardedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** An object for a response. Reading `object` may decode it each time, so keep the result if you need it twice. */
export interface ServedObject<Type extends KubeObject = KubeObject> {
  /** The object, frozen. Other readers share it. */
  readonly object: Type;
  /** The compact JSON of the object. */
  json(): string;
  /**
   * The approximate length of the object's JSON in characters. Absent if the length is unknown until the object is
   * serialized.
   */
  readonly size?: number;
  /**
   * Returns the object for immediate use. The caller must neither change the object nor keep a reference to any part of
   * it. If the object is not decoded yet, this is cheaper than reading `object`. The result may lack managedFields.
   */
  peekWithoutManagedFields?(): Type;
  /** Returns the compact JSON of the metadata. Absent if computing it would require decoding the whole object. */
  metadataJson?(): string;
  /**
   * Returns the metadata for responses that contain no other part of the object. The function is absent or returns
   * `undefined` if these responses contain the metadata of `object`.
   */
  partialMetadata?(): ObjectMeta | undefined;
  /** Returns the object as CSV. Absent if its resource does not serve CSV (`MountedSubresource.servesCsv`). */
  csv?(): string;
  /** True if this is a built-in object that was never changed in this plane. */
  readonly isUnchangedBuiltin?: boolean;
}

export function peekWithoutManagedFields<Type extends KubeObject>(served: ServedObject<Type>): Type {
  return served.peekWithoutManagedFields?.() ?? served.object;
}

export interface WriteResult extends ServedObject {
  readonly created: boolean;
}

export interface ServedList {
  readonly items: readonly ServedObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface GetOptions {
  /** The `resourceVersion` parameter of the request; '' if absent. The verb validates it. */
  readonly resourceVersion: string;
  /** All parameters of the request, for resources with parameters of their own. Absent for calls inside the server. */
  readonly parameters?: URLSearchParams;
}

export interface ListOptions {
  readonly labelSelector?: LabelSelector;
  readonly fieldSelector?: FieldSelector;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  /** The maximum number of objects per page. 0 means that the list is not paged. */
  readonly limit: number;
  readonly continue: string;
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  /** The `sendInitialEvents` parameter of the request; `undefined` if it is absent. */
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutMilliseconds: number;
}

export type WatchEvent =
  | ObjectEvent
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ServedObject;
  /** A cache that several watches share to encode or map this event only once. Absent if only one watch receives it. */
  readonly shared?: SharedEventCache;
}

/**
 * Results that all watches of an event share. They are stored in the event itself, so that they are freed together with
 * it. In a WeakMap, they would stay in memory until the next full garbage collection, and many events arrive before
 * that.
 */
export interface SharedEventCache {
  /** The encoded event, by output format. */
  readonly lines: Map<string, Uint8Array>;
  /** The results of event mappers, by mapper. */
  readonly mapped: Map<unknown, WatchEvent>;
}

/**
 * The events of a watch. The stream ends on timeout, if the request is aborted, if the client reads too slowly, or
 * after an ERROR event.
 */
export interface WatchStream extends Feed<WatchEvent>, AsyncIterable<WatchEvent> {}

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The `fieldManager` parameter, or a name derived from the user agent (rule CREATE-08). Never empty. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /**
   * The subresource in the request path, for example `scale`, if the request writes the main object through a
   * subresource. Admission requests and managedFields entries contain this name. Absent if the request path is that of
   * the object.
   */
  readonly subresource?: string;
  /**
   * The kind of the object that admission receives, for example Scale. Optional; defaults to the kind of the written
   * object.
   */
  readonly admittedAs?: AdmittedKind;
  /** The managedFields of the updated object, if the caller has computed them. Optional. */
  readonly ownership?: NonNullable<KubeObject['metadata']['managedFields']>;
}

/** The kind of the objects that admission receives for a write through a subresource. */
interface AdmittedKind {
  readonly kind: ResourceKind & { readonly hasStatus: boolean };
  /** Converts an object of the written kind to this kind. */
  of(object: KubeObject): KubeObject;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface PatchOptions extends WriteOptions {
  readonly force: boolean;
}

export type Patch =
  | { readonly type: 'json'; readonly operations: JsonValue; readonly findings: readonly string[] }
  | { readonly type: 'merge' | 'strategic'; readonly document: JsonValue; readonly findings: readonly string[] }
  | { readonly type: 'apply'; readonly object: JsonValue };

export interface DeleteOptions {
  readonly dryRun: boolean;
  /** The grace period in seconds; `undefined` if the client sent none, which means 0 for management kinds. */
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

/**
 * The result of a delete. `gone`: the object was removed at once. `pending`: the deletion of the object has started,
 * and `pending` is its current state. With `isRemoved`, the object was removed at once, and `pending` is its last state
 * (`StoredResource.returnsDeleted`).
 */
export type DeleteResult = { readonly gone: Status } | { readonly pending: ServedObject; readonly isRemoved?: boolean };
