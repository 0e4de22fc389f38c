import type { KubeObject } from '../api/meta.ts';
import type { UserInfo } from '../api/user-info.ts';

/** What every verb needs to know of the request it serves. */
export interface RequestContext {
  readonly user: UserInfo;
  /** The credential used, where the caller came with one: the name of the access key. */
  readonly accessKey?: string;
  /** True for the server's own controllers and upkeep: they write status, take off kept finalizers, skip guards. */
  readonly system: boolean;
  /** Of the path; '' for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace: string;
  /** The name of the path; '' or absent where it names a collection. */
  readonly pathName?: string;
  /** Fires when the client is gone or its time is up. */
  readonly signal: AbortSignal;
  /** Whether the signal has fired, where that can be told without making one. */
  isOver?(): boolean;
  /** Waits for the caller's next turn at the processor; long work does between its parts. Absent: nothing to share. */
  readonly turn?: () => Promise<void>;
  /** The caller wants to be told what of the object is about themselves, where the kind has such a thing. */
  readonly extended?: boolean;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
  /** Adds to what the audit log tells of the request. Absent: nobody writes one. */
  annotate?(key: string, value: string): void;
  /** The only names that `mayRead` can let pass, in any order, where they are known and few. Absent: any. */
  readonly names?: () => Iterable<string>;
  /** Lists, watches and collection deletes pass over what this refuses. Absent: everything may be read. */
  readonly mayRead?: (object: KubeObject) => boolean;
  /**
   * Whether the caller's credential lets something through at all, whatever they may do: for those who ask what they may.
   * Absent: it narrows nothing that the plane does not know of.
   */
  readonly passes?: (asked: AskedAccess) => Passed | Promise<Passed>;
  /** Whether this caller may do that; the one decision function, as admission needs it (owner references, create by apply). */
  may(attributes: AccessAttributes): boolean | Promise<boolean>;
}

/**
 * The same request but for what is given. Not a plain copy: what a context is may stand in its class, and be made only
 * for those who ask.
 */
export function contextWith(context: RequestContext, changes: Partial<RequestContext>): RequestContext {
  return {
    ...context,
    signal: context.signal,
    isOver: () => context.isOver?.() ?? context.signal.aborted,
    warn: (text) => context.warn(text),
    annotate: (key, value) => context.annotate?.(key, value),
    may: (asked) => context.may(asked),
    ...changes,
  };
}

/** A request as it is decided about. */
export type AskedAccess =
  | (Required<AccessAttributes> & { readonly resourceRequest: true; readonly version: string })
  | { readonly resourceRequest: false; readonly verb: string; readonly path: string };

export interface Passed {
  readonly allowed: boolean;
  readonly reason: string;
  /** What narrowed it; absent: nothing did. */
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
