import type { JsonObject } from '@flotilla/json';
import type { KubeObject } from '../api/meta.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Span } from '../lib/trace/span.ts';
import type { RevisionCheck } from '../store/store.ts';

/**
 * The maximum number of warnings that are kept for a request. Further warnings are dropped. `maxWarningLength` limits
 * the number of characters of each warning.
 */
export const maxWarnings = 100;
export const maxWarningLength = 4_096;

/** Describes the request and its caller to the verbs of a kind. */
export interface RequestContext {
  readonly user: UserInfo;
  /**
   * The name of the access key that the caller authenticated with; `undefined` if the credential is not an access key.
   */
  readonly accessKey?: string;
  /**
   * The name of the user or team that is responsible for the request, even if it impersonates another user or uses a
   * service account (`Identity.responsible`). Absent if it is unknown.
   */
  readonly responsible?: string;
  /**
   * True if the server's own controllers or maintenance send the request. Such a request may write status and remove
   * server finalizers, and delete guards do not apply to it.
   */
  readonly system: boolean;
  /**
   * A check that every transaction of the request contains. If the check fails, the write is refused with 503 and not
   * retried. Background work uses the check, so that a replica cannot write after another replica has taken over its
   * work. Optional; defaults to none.
   */
  readonly fence?: RevisionCheck;
  /**
   * Changes the hidden part of the record of the updated object, before the hooks of the kind run. The function is
   * called with the current hidden part for each attempt of the write. It may throw a StatusError to refuse the write.
   * Only requests of the server itself have it.
   */
  readonly changeHidden?: (hidden: JsonObject) => void;
  /**
   * The verb of the request, such as `update` or `patch`. Some writes need permissions on further resources with the same
   * verb. Absent in requests that no client has sent.
   */
  readonly verb?: string;
  /** The span of the request. Absent if the request is not traced. */
  readonly span?: Span;
  /** The namespace in the request path; '' for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace: string;
  /** The object name in the request path; '' or absent if the request is for a collection. */
  readonly pathName?: string;
  /**
   * A revision up to which the caches of the plane are complete, determined after the request arrived. If it is
   * present, verbs need not ask the store again. Absent if it was not determined yet.
   */
  readonly freshRevision?: number;
  /** Aborted when the client disconnects or the request times out. */
  readonly signal: AbortSignal;
  /**
   * True if `signal` is aborted. Optional; contexts that create `signal` on demand implement it without creating the
   * signal.
   */
  isCanceled?(): boolean;
  /**
   * Calls the listener when `signal` aborts, or immediately if it is aborted. Returns a function that removes the
   * listener. Optional, like `isCanceled`. Other code uses the function `onCancel`.
   */
  onCancel?(listener: () => void): () => void;
  /**
   * Resolves when fair scheduling grants the caller more CPU time. Long computations call it regularly. Absent if the
   * request is not scheduled.
   */
  readonly nextTimeSlice?: () => Promise<void>;
  /** True if the request has `?extended=true`: some kinds then add to each object the caller's permissions on it. */
  readonly extended?: boolean;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  /**
   * Adds an annotation of the server to the audit event of the request. Does not overwrite an existing annotation.
   * Absent if there is no audit log.
   */
  annotate?(key: string, value: string): void;
  /**
   * Adds an annotation of an admission policy or webhook to the audit event of the request. Tenants choose these
   * annotations. Annotations with a prefix of the server and annotations beyond the limits of a request are dropped.
   */
  annotateByAdmission?(key: string, value: string): void;
  /**
   * Returns a superset of the names of the objects that `mayRead` accepts, so that a list need not check all objects.
   * Absent if these names are unknown or too many.
   */
  readonly readableNames?: () => Iterable<string>;
  /**
   * Returns whether the caller may read an object. Lists, watches and collection deletes skip an object if the result
   * is false. `hidden` is the hidden part of the object's record. Absent if the caller may read all objects.
   */
  readonly mayRead?: (object: KubeObject, hidden?: JsonObject) => boolean;
  /**
   * Decides whether the caller's credential permits a request, regardless of the permissions of the user. Self-review
   * requests include the result. Absent if the plane already knows all restrictions of the credential.
   */
  readonly credentialAllows?: (request: RequestAttributes) => CredentialDecision | Promise<CredentialDecision>;
  /** Returns true if the caller authenticated this request with `token`. Present only for token reviews. */
  readonly isOwnToken?: (token: string) => boolean;
  /**
   * Reports whether the caller has a permission that the request needs besides the permission for its own verb. For
   * example, admission requires a further permission for an owner reference, and for an apply that creates the object.
   */
  may(attributes: AccessAttributes): boolean | Promise<boolean>;
}

/**
 * Calls the listener when the request is canceled, or immediately if it is already canceled. Returns a function that
 * removes the listener. Cheaper than adding a listener to `signal`, which many contexts create only on demand.
 */
export function onCancel(context: RequestContext, listener: () => void): () => void {
  if (context.onCancel !== undefined) return context.onCancel(listener);
  const { signal } = context;
  signal.addEventListener('abort', listener, { once: true });
  if (signal.aborted) listener();
  return () => signal.removeEventListener('abort', listener);
}

/**
 * Returns a copy of `context` with `changes` applied. A spread alone would lose the getters and methods of the
 * context's class, for example the getter that creates `signal` on demand.
 */
export function contextWithChanges(context: RequestContext, changes: Partial<RequestContext>): RequestContext {
  return {
    ...context,
    get signal() {
      return context.signal;
    },
    isCanceled: () => context.isCanceled?.() ?? context.signal.aborted,
    onCancel: (listener) => onCancel(context, listener),
    warn: (text) => context.warn(text),
    annotate: (key, value) => context.annotate?.(key, value),
    annotateByAdmission: (key, value) => context.annotateByAdmission?.(key, value),
    may: (attributes) => context.may(attributes),
    ...changes,
  };
}

/** The attributes of a request for the authorizer. A non-resource request has only a verb and a path. */
export type RequestAttributes =
  | (Required<AccessAttributes> & { readonly resourceRequest: true; readonly version: string })
  | { readonly resourceRequest: false; readonly verb: string; readonly path: string };

export interface CredentialDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The scopes of the access key that restricted the decision; absent if no scope did. */
  readonly scopes?: readonly string[];
}

export interface AccessAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}
