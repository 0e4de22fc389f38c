import { hash } from 'node:crypto';
import type { UserInfo } from '../api/user-info.ts';

/** The state of an access key that authentication needs, as the access-key cache contains it. */
export interface KeyState {
  readonly name: string;
  readonly uid: string;
  /** The user that the key authenticates as. Absent if the owner of the key is disabled or deleted. */
  readonly user: UserInfo | undefined;
  /** The expiry in milliseconds since the epoch. Absent if the key does not expire. */
  readonly expiresAt?: number;
  readonly disabled: boolean;
  /**
   * A text that changes with the value of the key. If a login is renewed, the value changes but this text does not. The
   * text never contains the value.
   */
  readonly version: string;
  /** A text that changes with the scopes of the key. */
  readonly scopes: string;
  /**
   * The lists of address ranges from which the key may be used, as JSON. An address must be in every list. Absent if the
   * key may be used from everywhere.
   */
  readonly addresses?: string;
}

/** True if the key can authenticate requests. At the exact millisecond of its expiry it no longer can. */
export function isUsableKey(state: KeyState | undefined, now: number): state is KeyState & { readonly user: UserInfo } {
  return (
    state !== undefined &&
    !state.disabled &&
    state.user !== undefined &&
    (state.expiresAt === undefined || now < state.expiresAt)
  );
}

/** Returns a fingerprint that changes with the value of the key and does not reveal it. Tokens contain it. */
export function keyFingerprint({ version }: Pick<KeyState, 'version'>): string {
  return hash('sha256', `mark:${version}`, 'base64url').slice(0, 16);
}

/** True if both states have the same user, the same scopes and the same address ranges. */
export function hasSamePermissions(a: KeyState, b: KeyState): boolean {
  return a === b || (a.scopes === b.scopes && a.addresses === b.addresses && isSameUser(a.user, b.user));
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
