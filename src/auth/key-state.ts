import { hash } from 'node:crypto';
import type { UserInfo } from '../api/user-info.ts';

/** An access key as authentication sees it: the entry of the access-key cache for a name or for the hash of a value. */
export interface KeyState {
  readonly name: string;
  readonly uid: string;
  /** Absent if the user or team that owns the key is disabled or deleted. */
  readonly user: UserInfo | undefined;
  /** Milliseconds since the epoch. Absent if the key does not expire. */
  readonly expiresAt?: number;
  readonly disabled: boolean;
  /** Changes with the value of the key; never contains the value itself. */
  readonly version: string;
  /** Changes with the scopes of the key. */
  readonly scopes: string;
}

/** True if the key can authenticate. A key is invalid from the exact millisecond of its expiry. */
export function isUsable(state: KeyState | undefined, now: number): state is KeyState & { readonly user: UserInfo } {
  return (
    state !== undefined &&
    !state.disabled &&
    state.user !== undefined &&
    (state.expiresAt === undefined || now < state.expiresAt)
  );
}

/** A fingerprint for credentials derived from a key, which end when its value changes. Reveals nothing of the value. */
export function keyFingerprint({ version }: Pick<KeyState, 'version'>): string {
  return hash('sha256', `mark:${version}`, 'base64url').slice(0, 16);
}

/** True if both states have the same user and the same scopes. */
export function hasSamePermissions(a: KeyState, b: KeyState): boolean {
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
