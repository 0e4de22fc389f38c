import { accessKeyPhase } from '../../api/management/access-key-expiry.ts';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { belongsToCurrentOwner } from '../access-keys/access-key-owner.ts';
import { hiddenResetKey, type UserHidden } from '../identities/user-hidden.ts';
import type { ManagementState } from '../state.ts';

/** True for the key of a reset link. Such a key never authenticates requests. */
export function isResetKey(key: AccessKey): boolean {
  return key.spec?.type === 'Reset';
}

/**
 * Makes the key with this uid the only key that can reset the user's password. If `uid` is `undefined`, no key can
 * reset the password.
 */
export function setResetKey(hidden: UserHidden, uid: string | undefined): void {
  if (uid === undefined) delete hidden[hiddenResetKey];
  else hidden[hiddenResetKey] = uid;
}

/**
 * True if the key with this uid can still reset the password of the user. `hidden` is the hidden part of the User
 * object.
 */
export function isCurrentResetKey(hidden: UserHidden | undefined, uid: string): boolean {
  return uid !== '' && hidden?.[hiddenResetKey] === uid;
}

/**
 * Returns the name of the user whose password the key can reset now; `undefined` if the key cannot reset a password.
 */
export function resettableUser(key: AccessKey, state: ManagementState, now: number): string | undefined {
  const { user: name = '' } = key.spec ?? {};
  const user = state.user(name);
  const isKeyActive =
    isResetKey(key) &&
    key.metadata.deletionTimestamp === undefined &&
    accessKeyPhase(key, now) === 'Active' &&
    belongsToCurrentOwner(key, state);
  const isUserActive = user?.metadata.deletionTimestamp === undefined && user?.spec?.disabled !== true;
  if (user === undefined || !isKeyActive || !isUserActive) return undefined;
  return isCurrentResetKey(state.userHidden(name), key.metadata.uid ?? '') ? name : undefined;
}
