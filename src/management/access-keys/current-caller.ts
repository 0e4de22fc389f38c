import type { UserInfo } from '../../api/user-info.ts';
import { isAdmin } from '../../auth/authz/subject.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { accessKeyIdentity } from '../identity.ts';
import type { ManagementState } from '../state.ts';
import { withGrantedGroups } from './access-key-groups.ts';

type Lookups = Parameters<typeof accessKeyIdentity>[1] & Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>;

/**
 * Returns the caller with only those groups that the caller still has through the access key of the request. The groups
 * in the context are from the start of the request, and a client can delay the body for a minute. A person who loses a
 * group in that minute could otherwise grant the group to an access key, and so keep the group.
 */
export function currentCaller(
  { user, accessKey }: Pick<RequestContext, 'user' | 'accessKey'>,
  state: Lookups,
): UserInfo {
  if (accessKey === undefined) return user;
  const key = state.accessKey(accessKey);
  const current = key && accessKeyIdentity(withGrantedGroups(key, state), state);
  // Only admins can impersonate, and they choose the groups of the impersonated user.
  const isImpersonated = current?.name !== user.name;
  if (isImpersonated && current !== undefined && isAdmin(current)) return user;
  const held = new Set(isImpersonated ? [] : current?.groups);
  const groups = user.groups.filter((group) => held.has(group));
  return groups.length === user.groups.length ? user : { ...user, groups };
}

/**
 * Adds a check to the write of a key. The write fails if the User object of the caller changes before the key is
 * stored.
 */
export function requireUnchangedCaller(
  draft: AccessKeyDraft,
  { accessKey = '', system }: RequestContext,
  state: Pick<ManagementState, 'accessKey' | 'userUnchanged'>,
): void {
  const check = system ? undefined : state.userUnchanged(state.accessKey(accessKey)?.spec?.user ?? '');
  if (check !== undefined) draft.requires = [...(draft.requires ?? []), check];
}
