import type { AccessKey } from '../../api/management/v1/access-key.ts';

/**
 * True if the key is the session of an app to which its user has signed in through this server. The session ends
 * together with the login that the user used for that sign-in. Requests to this server cannot use it as a credential.
 */
export function isAppSession(key: AccessKey): boolean {
  return key.spec?.type === 'OIDCRefreshToken' && (key.spec.oidcProvider?.clientId ?? '') !== '';
}
