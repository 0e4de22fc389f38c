import type { AccessKey } from '../../api/management/v1/access-key.ts';

/**
 * True if the key is the session of an app that its user signed in to through this server. The session ends together
 * with the login that the user used for this sign-in. The key is not accepted as a credential for requests to this
 * server.
 */
export function isAppSession(key: AccessKey): boolean {
  return key.spec?.type === 'OIDCRefreshToken' && (key.spec.oidcProvider?.clientId ?? '') !== '';
}
