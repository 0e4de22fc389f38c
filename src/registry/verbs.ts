import type { JsonValue } from '@flotilla/json';
import type { KubeObject } from '../api/meta.ts';
import type { FieldSelector } from '../api/selectors/field-selector.ts';
import type { LabelSelector } from '../api/selectors/label-selector.ts';
import type { Status } from '../api/status.ts';
import type { Feed } from '../lib/feed.ts';
import type { RequestContext } from './context.ts';
import type { RequestDocument } from './fast/request-document.ts';

/**
 * The verbs that handlers call. A verb exists if its function exists: discovery lists the functions that are present,
 * and a request for another verb gets 405. Stored kinds get their verbs from `storedVerbs`; kinds without storage
 * (reviews, selves, imports) implement their own.
 *
 * Every function throws StatusError for client errors.
 */
export interface ResourceVerbs {
  get?(context: RequestContext, name: string, options: GetOptions): Promise<ServedObject>;
  list?(context: RequestContext, options: ListOptions): Promise<ServedList>;
  watch?(context: RequestContext, options: WatchOptions): Promise<WatchStream>;
  create?(context: RequestContext, object: KubeObject, options: WriteOptions): Promise<ServedObject>;
  /** `sent` is the decoded body: defaulted, pruned, its kind checked. */
  update?(context: RequestContext, name: string, sent: KubeObject, options: WriteOptions): Promise<WriteResult>;
  patch?(context: RequestContext, name: string, patch: Patch, options: PatchOptions): Promise<WriteResult>;
  delete?(context: RequestContext, name: string, options: DeleteOptions): Promise<DeleteResult>;
  deletecollection?(context: RequestContext, list: ListOptions, options: DeleteOptions): Promise<ServedList>;
}

/** A subresource: GET, PUT, PATCH under the parent's name, or a POST to it. */
export interface SubresourceVerbs extends Pick<ResourceVerbs, 'get' | 'update' | 'patch'> {
  /** POST `<plural>/<name>/<subresource>`. */
  createNamed?(context: RequestContext, name: string, object: KubeObject, options: WriteOptions): Promise<ServedObject>;
  /** GET of something that is not an object, such as a log. Replaces `get`, and is authorized as `get`. */
  read?(context: RequestContext, name: string, query: URLSearchParams): Promise<ServedBytes>;
}

/** Bytes of another server, streamed at the pace of the reader. */
export interface ServedBytes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** An object to be served. The getter may decode it on each call, so a caller that needs it twice should keep it. */
export interface ServedObject<Type extends KubeObject = KubeObject> {
  /** Frozen and shared. */
  readonly object: Type;
  /** The compact JSON of the object. */
  json(): string;
  /**
   * Returns the object for a caller that reads it immediately and keeps no part of it: cheaper if it has to be decoded.
   * It may be frozen or not, and managedFields may be missing.
   */
  peekWithoutManagedFields?(): Type;
  /** The compact JSON of the metadata, if it is available without decoding the object. */
  metadataJson?(): string;
  /** True for a built-in object that is unchanged in this plane. */
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
  /** The value in the request; '' if absent. The verb validates it. */
  readonly resourceVersion: string;
}

export interface ListOptions {
  readonly labelSelector?: LabelSelector;
  readonly fieldSelector?: FieldSelector;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  /** The page size. 0 means no paging. */
  readonly limit: number;
  readonly continue: string;
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  /** `undefined` if not sent. */
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
  /** Present if several watches receive this event: caches the work of one for the others. */
  readonly shared?: SharedEventCache;
}

/**
 * The cached results of processing an event. They are attached to the event itself: a WeakMap entry would outlive the
 * event, as only a full garbage collection frees it, and by then there are many.
 */
export interface SharedEventCache {
  /** The encoded lines, by format. */
  readonly lines: Map<string, Uint8Array>;
  /** The mapped events, by mapper. */
  readonly mapped: Map<unknown, WatchEvent>;
}

/** Ends on timeout, when the context's signal is aborted, when the reader is too slow, or after an ERROR. */
export interface WatchStream extends Feed<WatchEvent>, AsyncIterable<WatchEvent> {}

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The `fieldManager` parameter, or a name derived from the user agent (rule CREATE-08). Never empty. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /**
   * The subresource that writes the main part of the object (`scale`): admission and managedFields contain its name.
   */
  readonly subresource?: string;
  /** The document of the object, if it was sent as one. */
  readonly document?: RequestDocument | undefined;
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
  /** `undefined` if not sent, which means 0 for kinds of our own. */
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

/** `gone`: removed at once. `pending`: the current object, whose deletion is in progress. */
export type DeleteResult = { readonly gone: Status } | { readonly pending: ServedObject };
