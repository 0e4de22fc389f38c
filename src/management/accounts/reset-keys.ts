import { type JsonObject, textAt } from '@flotilla/json';
import { accessKeyPhase } from '../../api/management/access-key-expiry.ts';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { belongsToCurrentOwner } from '../access-keys/access-key-owner.ts';
import type { ManagementState } from '../state.ts';

/**
 * Member of the hidden part of a user: the UID of the access key of the current reset link. A newer link replaces it, and
 * each change of the password removes it in the same write, so a link is used at most once.
 */
const hiddenResetKey = 'resetKey';

/** True for the key of a reset link. Such a key never authenticates requests. */
export function isResetKey(key: AccessKey): boolean {
  return key.spec?.type === 'Reset';
}

/** Makes a key the only one that can reset the password. `undefined` if none can. */
export function setResetKey(hidden: JsonObject, uid: string | undefined): void {
  if (uid === undefined) delete hidden[hiddenResetKey];
  else hidden[hiddenResetKey] = uid;
}

/** True if the key can still reset the password of the user with this hidden part. */
export function isCurrentResetKey(hidden: JsonObject | undefined, uid: string): boolean {
  return uid !== '' && textAt(hidden, hiddenResetKey) === uid;
}

/** Returns the name of the user whose password the key can reset now; `undefined` if it cannot. */
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
