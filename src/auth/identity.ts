import type { Scope } from '../api/management/v1/scope.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Attributes, Decision } from './authz/attributes.ts';

/** An authenticated caller. */
export interface Identity {
  readonly user: UserInfo;
  /** The name of the user who impersonates `user`. Absent without impersonation. */
  readonly impersonatedBy?: string;
  /** The name of the access key of the request. Absent for the server's own code. */
  readonly accessKey?: string;
  /**
   * Scopes of the credential in addition to the scopes of its access key. A request must be allowed by every one of
   * these scopes.
   */
  readonly scopes?: readonly Scope[];
  /**
   * Identifies a service account in fair queueing: the identifier of its cluster, a slash, and its user name. Optional;
   * callers without it and without an access key are identified by their user name.
   */
  readonly fairQueueKey?: string;
  /**
   * True if the credential may be used from this client address. The authenticate filter calls this function. Absent if
   * the credential may be used from everywhere.
   */
  allowsAddress?(address: string): boolean;
  /**
   * The name of the user or team that is responsible for the requests: the owner of the credential, or the creator of a
   * credential that belongs to a service account. Impersonation does not change this name. Absent if it is unknown.
   */
  readonly responsible?: string;
  /** True for the server's own controllers and maintenance tasks. */
  readonly system: boolean;
  /**
   * Fires when the credential becomes invalid: its access key is deleted, disabled, expired or gets another value, or
   * its user is disabled. All requests that use the credential are then aborted.
   */
  readonly signal: AbortSignal;
  /**
   * The expiry of the credential itself, in milliseconds since the epoch. Long-running requests end at this time. If
   * absent, the credential expires together with its access key.
   */
  readonly expiresAt?: number;
  /**
   * Returns a signal that fires when the permissions of the caller change. If the caller impersonates another user,
   * pass that user as `as`. The signal ends long-running requests (watches, proxied streams), and its reason becomes
   * the last message of each. Short requests do not use the signal, so callers who change their own permissions still
   * get a response. The signal reports only changes after this call, so call this function before authorization. Absent
   * if the permissions never change.
   */
  permissionSignal?(as?: UserInfo): AbortSignal;
  /**
   * An additional authorization check before the control plane's own policy. The gateway sets this function. It ensures
   * that a caller can do no more in a cluster than the management API allows, even if the caller impersonates another
   * user in the cluster.
   */
  preauthorize?(attributes: Attributes): Decision | Promise<Decision>;
}
