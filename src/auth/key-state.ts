import type { UserInfo } from '../api/user-info.ts';

/** An access key as authentication sees it: what the access-key cache answers for the hash of a value. */
export interface KeyState {
  readonly name: string;
  readonly uid: string;
  /** Absent: the user or team it is for is disabled or gone. */
  readonly user: UserInfo | undefined;
  /** Milliseconds since the epoch; absent: it has no end. */
  readonly expiresAt?: number;
  readonly disabled: boolean;
  /** Another text whenever the key's value or its scope is another one; never the value itself. */
  readonly version: string;
}

/** A key whose end has come, to the millisecond, opens nothing any more. */
export function isUsable(state: KeyState | undefined, now: number): state is KeyState & { readonly user: UserInfo } {
  return (
    state !== undefined &&
    !state.disabled &&
    state.user !== undefined &&
    (state.expiresAt === undefined || now < state.expiresAt)
  );
}
