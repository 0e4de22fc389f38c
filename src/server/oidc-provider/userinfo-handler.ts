import { methodNotAllowedOnPath } from '../../api/status.ts';
import type { Handler } from '../../http/exchange.ts';
import { type Freshness, findConfirmed } from '../../http/freshness.ts';
import { bearerTokenOf } from '../../http/session/bearer-token.ts';
import type { Clock } from '../../lib/clock.ts';
import { jsonReply } from '../auth/login-body.ts';
import { OAuthError, withOAuthErrors } from '../auth/oauth/oauth-error.ts';
import type { AppSessions } from './app-sessions.ts';
import type { SessionTokens } from './session-tokens.ts';
import { userClaims } from './user-claims.ts';

export interface UserinfoOptions {
  readonly sessions: Pick<AppSessions, 'find'>;
  readonly tokens: Pick<SessionTokens, 'readAccessToken'>;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  readonly clock: Clock;
}

/** `/oidc/userinfo`: returns the current claims about the user of an access token. */
export function userinfoHandler({ sessions, tokens, freshness, clock }: UserinfoOptions): Handler {
  return async ({ request }) => {
    if (request.method !== 'GET' && request.method !== 'POST') throw methodNotAllowedOnPath();
    return await withOAuthErrors(async () => {
      const token = bearerTokenOf(request);
      if (token === undefined)
        throw new OAuthError('invalid_request', 'the access token is missing', {
          status: 401,
          headers: { 'www-authenticate': 'Bearer' },
        });
      const name = tokens.readAccessToken(token, clock.now()) ?? '';
      await freshness?.requireCurrent();
      const session = name === '' ? undefined : await findConfirmed(freshness, () => sessions.find(name));
      if (session === undefined) {
        throw new OAuthError('invalid_token', 'the access token is not valid, or the session has ended', {
          status: 401,
          headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
        });
      }
      return jsonReply(200, userClaims(session, session.scopes));
    });
  };
}
