import type { JsonObject } from '@flotilla/json';
import type { UserInfo } from '../api/user-info.ts';
import type { Attributes, Decision } from './authz/attributes.ts';

/** An authenticated caller. */
export interface Identity {
  readonly user: UserInfo;
  /** The name of the access key that the caller used. Absent for the server's own code. */
  readonly accessKey?: string;
  /** Scopes of the credential in addition to those of its access key. All of them must allow a request. */
  readonly scopes?: readonly JsonObject[];
  /** The key of the caller's fair-queueing share if there is no access key. Defaults to the user's name. */
  readonly fairQueueKey?: string;
  /** True for the server's own controllers and maintenance. */
  readonly system: boolean;
  /**
   * Fires when the credential becomes invalid: the key is deleted, disabled, expired or gets another value, or the user
   * is disabled. All requests that use the credential are then aborted.
   */
  readonly signal: AbortSignal;
  /**
   * The expiry of the credential itself, in milliseconds since the epoch. If absent, the credential expires with its
   * key. Long-running requests end at this time.
   */
  readonly expiresAt?: number;
  /**
   * Returns a signal that fires when the permissions of the caller change, or those of `as` if the caller impersonates
   * another user. Only long-running requests (watches, proxied streams) end with it: a short request was authorized
   * when it arrived, and callers who change their own permissions still get their response. The signal covers changes
   * from the call on, so request it before authorization. Its reason is the last message of the stream. Absent if the
   * permissions never change.
   */
  permissionSignal?(as?: UserInfo): AbortSignal;
  /**
   * An authorization check that precedes the plane's own policy. A caller who comes through the management API reaches
   * a cluster only as far as the management API allows, no matter whom they impersonate there. Absent if there is no
   * such check.
   */
  preauthorize?(attributes: Attributes): Decision | Promise<Decision>;
}
