import { randomBytes } from 'node:crypto';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { AccessKeyDraft, UserDraft } from '../drafts.ts';
import { isEndedIdentityLogin } from '../identities/provider-rights.ts';
import { hiddenKeptLogin, hiddenPasswordFingerprint, type UserHidden } from '../identities/user-hidden.ts';
import type { ManagementState } from '../state.ts';
import { hiddenCreatorFingerprint, hiddenCreatorKey, hiddenOpenedAt } from './access-key-hidden.ts';
import { isAppSession } from './app-session-keys.ts';
import { creatorFingerprint } from './creator-fingerprint.ts';

export function isLogin(key: AccessKey): boolean {
  return key.spec?.type === 'Login';
}

/**
 * True for the key that keeps the refresh token of a provider identity. No request can use this key as a credential.
 */
export function isRefreshKey(key: AccessKey): boolean {
  return key.spec?.type === 'OIDCRefreshToken' && !isAppSession(key);
}

/** Returns the time at which the user of a login authenticated, in RFC 3339 format. */
export function openingTimeOf(login: AccessKey, state: Pick<ManagementState, 'accessKeyHidden'>): string {
  const { name = '', creationTimestamp = '' } = login.metadata;
  return state.accessKeyHidden(name)?.[hiddenOpenedAt] || creationTimestamp;
}

/** Binds a login to the current password of its user, and to the current state of the access key that opened it. */
export function bindLogin(
  draft: AccessKeyDraft,
  state: Pick<ManagementState, 'userHidden' | 'accessKey' | 'accessKeyHidden'>,
): void {
  if (!isLogin(draft.object)) return;
  const creator = draft.hidden[hiddenCreatorKey]?.name ?? '';
  const first = state.accessKey(draft.object.spec?.createdWith ?? '');
  // A login that is opened with or beside another login (`Logins.openBeside`) does not prove the user's identity again,
  // so it keeps the opening time of the other login.
  if (first !== undefined && isLogin(first)) draft.hidden[hiddenOpenedAt] = openingTimeOf(first, state);
  if (creator !== '') draft.hidden[hiddenCreatorFingerprint] = creatorFingerprint(creator, state);
  const fingerprint = state.userHidden(draft.object.spec?.user ?? '')?.[hiddenPasswordFingerprint] ?? '';
  if (fingerprint !== '') draft.hidden[hiddenPasswordFingerprint] = fingerprint;
}

/**
 * Revokes all logins of a user. `hidden` is the hidden part of the User object: server data that no response contains.
 */
export function revokeAllLogins(hidden: UserHidden): void {
  hidden[hiddenPasswordFingerprint] = randomBytes(12).toString('base64url');
  delete hidden[hiddenKeptLogin];
}

/**
 * Revokes all logins of a user except the login with which the user changes the password. The new password and the
 * revocation are stored in one write, so a crash cannot separate the two.
 */
export function revokeOtherLogins(
  draft: UserDraft,
  context: RequestContext,
  state: Pick<ManagementState, 'accessKey'>,
): void {
  revokeAllLogins(draft.hidden);
  const used = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  if (used?.metadata.uid === undefined || !isLogin(used)) return;
  if (used.spec?.user === draft.object.metadata.name) draft.hidden[hiddenKeptLogin] = used.metadata.uid;
}

/**
 * True if the key is a login that has been revoked. A login is revoked if the user changed the password, if the access
 * key that opened the login was deleted or got another value, scope or group, or if the provider identity that opened
 * the login has ended.
 */
export function isRevokedLogin(
  key: AccessKey,
  state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden' | 'user' | 'userHidden'>,
): boolean {
  if (!isLogin(key)) return false;
  if (isEndedIdentityLogin(key, state.user(key.spec?.user ?? ''))) return true;
  const hidden = state.accessKeyHidden(key.metadata.name ?? '');
  const creator = hidden?.[hiddenCreatorKey]?.name ?? '';
  const fingerprint = hidden?.[hiddenCreatorFingerprint] ?? '';
  if (creator !== '' && fingerprint !== creatorFingerprint(creator, state)) return true;
  const user = state.userHidden(key.spec?.user ?? '');
  const hasSamePassword = (hidden?.[hiddenPasswordFingerprint] ?? '') === (user?.[hiddenPasswordFingerprint] ?? '');
  return !hasSamePassword && (user?.[hiddenKeptLogin] ?? '') !== key.metadata.uid;
}
