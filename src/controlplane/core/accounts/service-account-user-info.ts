import { serviceAccountGroups, serviceAccountUser } from '../../../api/core/service-account.ts';
import type { UserInfo } from '../../../api/user-info.ts';

/** Returns the user name, UID and groups of a caller that uses a service account token. */
export function serviceAccountUserInfo(
  namespace: string,
  account: { readonly name: string; readonly uid: string },
  tokenId: string,
): UserInfo {
  return {
    name: serviceAccountUser(namespace, account.name),
    uid: account.uid,
    groups: [...serviceAccountGroups(namespace)],
    ...(tokenId === '' ? {} : { extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${tokenId}`] } }),
  };
}
