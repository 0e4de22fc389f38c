import type { KubeObject } from '../api/meta.ts';
import type { UserInfo } from '../api/user-info.ts';

/** The part of a request that every verb needs. */
export interface RequestContext {
  readonly user: UserInfo;
  /** The name of the access key that the caller authenticated with; `undefined` for other credentials. */
  readonly accessKey?: string;
  /**
   * True for the server's own controllers and maintenance: they may write status and remove server finalizers, and they
   * skip delete guards.
   */
  readonly system: boolean;
  /** The namespace in the path; '' for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace: string;
  /** The name in the path; '' or absent for a collection. */
  readonly pathName?: string;
  /** Aborted when the client disconnects or the request times out. */
  readonly signal: AbortSignal;
  /** Reports whether `signal` is aborted, for contexts that can tell without creating the signal. */
  isCanceled?(): boolean;
  /** Waits for the caller's next CPU slot; long work calls it between its parts. Absent: no fair scheduling. */
  readonly nextTimeSlice?: () => Promise<void>;
  /** True if the caller requests the details about themselves that some kinds add to an object. */
  readonly extended?: boolean;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request. Absent: there is no audit log. */
  annotate?(key: string, value: string): void;
  /** The only names that `mayRead` can accept, in any order, if they are known and few. Absent: any name. */
  readonly readableNames?: () => Iterable<string>;
  /** Lists, watches and collection deletes skip objects for which this returns false. Absent: all are readable. */
  readonly mayRead?: (object: KubeObject) => boolean;
  /**
   * Decides whether the caller's credential permits a request, regardless of the caller's own permissions. Self-review
   * requests use it. Absent: the credential has no restrictions that the plane does not know.
   */
  readonly credentialAllows?: (asked: RequestAttributes) => CredentialDecision | Promise<CredentialDecision>;
  /** Authorizes a further request of this caller; admission uses it (owner references, create by apply). */
  may(attributes: AccessAttributes): boolean | Promise<boolean>;
}

/**
 * Returns the context with `changes` applied. A plain copy would lose getters and methods of the context's class, which
 * compute values such as the signal on demand.
 */
export function contextWith(context: RequestContext, changes: Partial<RequestContext>): RequestContext {
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

/** The attributes of a request that is authorized. */
export type RequestAttributes =
  | (Required<AccessAttributes> & { readonly resourceRequest: true; readonly version: string })
  | { readonly resourceRequest: false; readonly verb: string; readonly path: string };

export interface CredentialDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The scopes that restricted the decision; absent if none did. */
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
