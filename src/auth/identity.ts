import type { UserInfo } from '../api/user-info.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { Attributes, Decision } from './authz/attributes.ts';

/** A caller who has proved who they are. */
export interface Identity {
  readonly user: UserInfo;
  /** The name of the access key that was used; absent for the server's own code. */
  readonly accessKey?: string;
  /** What narrows the credential besides its access key: all of them must allow. */
  readonly scopes?: readonly JsonObject[];
  /** What its requests are counted under where there is no access key; absent: the user's name. */
  readonly countedAs?: string;
  /** The server's own controllers and upkeep. */
  readonly system: boolean;
  /**
   * Fires when the right to be here ends: key deleted, disabled, expired or given another value, user disabled.
   * Everything that was begun with it ends.
   */
  readonly signal: AbortSignal;
  /** When the credential itself ends, in milliseconds since the epoch; absent: with its key. What lasts ends with it. */
  readonly ends?: number;
  /**
   * A signal that fires when what the caller may do has changed, or what `as` may do where they act as another. Only
   * what lasts ends with it (watches, proxied streams): a request under way was allowed when it came, and whoever
   * changes their own rights gets their answer. It holds from the call on, so it is asked for before rights are
   * decided. Its reason is what a stream says last. Absent: what they may do never changes.
   */
  rights?(as?: UserInfo): AbortSignal;
  /**
   * What the credential must be allowed besides what the plane's own policy says: somebody who comes from the management
   * API gets through to a cluster only as far as that one lets them, whomever they act as in there. Absent: nothing
   * stands before.
   */
  gate?(attributes: Attributes): Decision | Promise<Decision>;
}
