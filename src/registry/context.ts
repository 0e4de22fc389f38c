import type { KubeObject } from '../api/meta.ts';
import type { UserInfo } from '../api/user-info.ts';

/** Describes the request and its caller to the verbs of a kind. */
export interface RequestContext {
  readonly user: UserInfo;
  /**
   * The name of the access key that the caller authenticated with; `undefined` if the credential is not an access key.
   */
  readonly accessKey?: string;
  /**
   * True if the server's own controllers or maintenance send the request. They may write status and remove server
   * finalizers, and delete guards do not apply to them.
   */
  readonly system: boolean;
  /** The namespace in the request path; '' for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace: string;
  /** The object name in the request path; '' or absent if the request is for a collection. */
  readonly pathName?: string;
  /** Aborted when the client disconnects or the request times out. */
  readonly signal: AbortSignal;
  /**
   * True if `signal` is aborted. Optional; contexts that create `signal` on demand implement it without creating one.
   */
  isCanceled?(): boolean;
  /**
   * Waits until fair scheduling grants the caller more CPU time. Long computations call it regularly. Absent if the
   * request is not scheduled.
   */
  readonly nextTimeSlice?: () => Promise<void>;
  /** True if the request has `?extended=true`: some kinds then add to each object what the caller may do with it. */
  readonly extended?: boolean;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request. Absent if there is no audit log. */
  annotate?(key: string, value: string): void;
  /**
   * Returns a superset of the names of the objects that `mayRead` accepts, so that a list need not check all objects.
   * Absent if these names are unknown or too many.
   */
  readonly readableNames?: () => Iterable<string>;
  /** Lists, watches and collection deletes skip an object if this returns false. Absent if the caller may read all. */
  readonly mayRead?: (object: KubeObject) => boolean;
  /**
   * Decides whether the caller's credential permits a request, regardless of the permissions of the user. Self-review
   * requests include the result. Absent if the plane already knows all restrictions of the credential.
   */
  readonly credentialAllows?: (request: RequestAttributes) => CredentialDecision | Promise<CredentialDecision>;
  /**
   * Reports whether the caller has a permission that the request needs in addition to its own verb. For example,
   * admission requires one for an owner reference and for an apply that creates the object.
   */
  may(attributes: AccessAttributes): boolean | Promise<boolean>;
}

/**
 * Returns a copy of `context` with `changes` applied. A spread alone would lose the getters and methods of the
 * context's class, for example the getter that creates `signal` on demand.
 */
export function contextWithChanges(context: RequestContext, changes: Partial<RequestContext>): RequestContext {
  return {
    ...context,
    signal: context.signal,
    isCanceled: () => context.isCanceled?.() ?? context.signal.aborted,
    warn: (text) => context.warn(text),
    annotate: (key, value) => context.annotate?.(key, value),
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
