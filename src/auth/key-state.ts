import { hash } from 'node:crypto';
import type { UserInfo } from '../api/user-info.ts';

/** An access key as authentication sees it: what the access-key cache answers for a name, or the hash of a value. */
export interface KeyState {
  readonly name: string;
  readonly uid: string;
  /** Absent: the user or team it is for is disabled or gone. */
  readonly user: UserInfo | undefined;
  /** Milliseconds since the epoch; absent: it has no end. */
  readonly expiresAt?: number;
  readonly disabled: boolean;
  /** Another text whenever the key's value is another one; never the value itself. */
  readonly version: string;
  /** Another text whenever the scopes that narrow the key are others. */
  readonly scopes: string;
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

/** For whatever is made with a key and has to end when its value becomes another; tells nothing of the value itself. */
export function keyMark({ version }: Pick<KeyState, 'version'>): string {
  return hash('sha256', `mark:${version}`, 'base64url').slice(0, 16);
}

/** Whether the key opens the same for the same user as before. */
export function isSameRights(a: KeyState, b: KeyState): boolean {
  return a === b || (a.scopes === b.scopes && isSameUser(a.user, b.user));
}

function isSameUser(a: UserInfo | undefined, b: UserInfo | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    a.name === b.name &&
    a.uid === b.uid &&
    a.groups.length === b.groups.length &&
    a.groups.every((group, index) => group === b.groups[index]) &&
    JSON.stringify(a.extra ?? {}) === JSON.stringify(b.extra ?? {})
  );
}
