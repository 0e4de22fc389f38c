import type { UserInfo } from '../api/user-info.ts';

/** A caller who has proved who they are. */
export interface Identity {
  readonly user: UserInfo;
  /** The name of the access key that was used; absent for the server's own code. */
  readonly accessKey?: string;
  /** The server's own controllers and upkeep. */
  readonly system: boolean;
  /**
   * Fires when the right to be here ends: key deleted, disabled, expired or given another value, user disabled.
   * Everything that was begun with it ends.
   */
  readonly signal: AbortSignal;
  /**
   * A signal that fires when what the caller may do has changed, or what `as` may do where they act as another. Only
   * what lasts ends with it (watches, proxied streams): a request under way was allowed when it came, and whoever
   * changes their own rights gets their answer. It holds from the call on, so it is asked for before rights are
   * decided. Its reason is what a stream says last. Absent: what they may do never changes.
   */
  rights?(as?: UserInfo): AbortSignal;
}
