import type { KubeObject } from '../api/meta.ts';
import type { FieldSelector } from '../api/selectors/field-selector.ts';
import type { LabelSelector } from '../api/selectors/label-selector.ts';
import type { Status } from '../api/status.ts';
import type { Feed } from '../lib/feed.ts';
import type { JsonValue } from '../lib/json-value.ts';
import type { RequestContext } from './context.ts';
import type { SentDocument } from './sent-document.ts';

/**
 * What the handlers call. A verb exists because its function exists: discovery lists the functions that are there,
 * and a request for another one is answered 405. Stored kinds get theirs from `storedVerbs`; kinds that only answer
 * (reviews, selves, imports) write their own.
 *
 * Every function throws StatusError for the client's faults.
 */
export interface ResourceVerbs {
  get?(context: RequestContext, name: string, options: GetOptions): Promise<Served>;
  list?(context: RequestContext, options: ListOptions): Promise<ServedList>;
  watch?(context: RequestContext, options: WatchOptions): Promise<WatchStream>;
  create?(context: RequestContext, object: KubeObject, options: WriteOptions): Promise<Served>;
  /** `sent` is the decoded body: defaulted, pruned, its kind checked. */
  update?(context: RequestContext, name: string, sent: KubeObject, options: WriteOptions): Promise<Written>;
  patch?(context: RequestContext, name: string, patch: Patch, options: PatchOptions): Promise<Written>;
  delete?(context: RequestContext, name: string, options: DeleteOptions): Promise<Deleted>;
  deletecollection?(context: RequestContext, list: ListOptions, options: DeleteOptions): Promise<ServedList>;
}

/** A subresource: GET, PUT, PATCH of the parent's name, or a POST to it. */
export interface SubresourceVerbs extends Pick<ResourceVerbs, 'get' | 'update' | 'patch'> {
  /** POST `<plural>/<name>/<subresource>`. */
  createNamed?(context: RequestContext, name: string, object: KubeObject, options: WriteOptions): Promise<Served>;
  /** GET of what is no object: a log. In place of `get`, which it is to whoever authorises it. */
  read?(context: RequestContext, name: string, query: URLSearchParams): Promise<ServedBytes>;
}

/** Bytes from elsewhere, as they come and as somebody reads them. */
export interface ServedBytes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** An object on its way out. It may be made when it is asked for, so who needs it twice keeps it. */
export interface Served<Type extends KubeObject = KubeObject> {
  /** Frozen and shared. */
  readonly object: Type;
  /** Its compact JSON. */
  json(): string;
  /**
   * The object for one who looks at it at once and keeps nothing of it: cheaper where it has to be made. It may be
   * frozen or not, and the managedFields may be missing.
   */
  glance?(): Type;
  /** The compact JSON of its metadata, where that can be had without the object. */
  metadataJson?(): string;
  /** It is as every plane has it (`PlanePart.standing`): nobody has changed it here. */
  readonly stands?: boolean;
}

export function glanceAt<Type extends KubeObject>(served: Served<Type>): Type {
  return served.glance?.() ?? served.object;
}

export interface Written extends Served {
  readonly created: boolean;
}

export interface ServedList {
  readonly items: readonly Served[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface GetOptions {
  /** As sent; '' if absent. Checked by the verb. */
  readonly resourceVersion: string;
}

export interface ListOptions {
  readonly labelSelector?: LabelSelector;
  readonly fieldSelector?: FieldSelector;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  /** 0: no paging. */
  readonly limit: number;
  readonly continue: string;
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  /** undefined: not sent. */
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutMilliseconds: number;
}

export type WatchEvent =
  | ObjectEvent
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Served;
  /** This very event goes to several watchers: what is made of it for one is kept here for the next. */
  readonly shared?: SharedWork;
}

/**
 * What was made of an event. It hangs on the event: held by a WeakMap it would outlive it, as only a full collection
 * finds what such a map still holds to be garbage, and by then there is a lot of it.
 */
export interface SharedWork {
  /** As they are sent, by their form. */
  readonly lines: Map<string, Uint8Array>;
  /** What it was turned into, by who did. */
  readonly turned: Map<unknown, WatchEvent>;
}

/** Ends when the time is up, the context's signal fires, the reader was too slow, or after an ERROR. */
export interface WatchStream extends Feed<WatchEvent>, AsyncIterable<WatchEvent> {}

export interface WriteOptions {
  readonly dryRun: boolean;
  /** `fieldManager`, else made from the user agent (rule CREATE-08). Never empty. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Set by a subresource that writes the main part of the object (`scale`): the name that admission and owners see. */
  readonly subresource?: string;
  /** Of the object that is sent, where it was sent as a document. */
  readonly document?: SentDocument | undefined;
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
  /** undefined: not given, which is 0 for our kinds. */
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

/** `gone`: removed at once. Otherwise the object as it now stands, its deletion pending. */
export type Deleted = { readonly gone: Status } | { readonly pending: Served };
