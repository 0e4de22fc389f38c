import type { UserInfo } from '../api/user-info.ts';

/** A caller who has proved who they are. */
export interface Identity {
  readonly user: UserInfo;
  /** The name of the access key that was used; absent for the server's own code. */
  readonly accessKey?: string;
  /** The server's own controllers and upkeep. */
  readonly system: boolean;
  /** Fires when the right to be here ends: key deleted, disabled, expired; user disabled. Streams end with it. */
  readonly signal: AbortSignal;
}
