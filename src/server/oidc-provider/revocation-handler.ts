import { methodNotAllowedOnPath } from '../../api/status.ts';
import type { Filter, Handler } from '../../http/exchange.ts';
import type { Freshness } from '../../http/freshness.ts';
import type { Clock } from '../../lib/clock.ts';
import { answerClient } from './answer-client.ts';
import type { AppSessions } from './app-sessions.ts';
import type { ClientAuthenticationOptions } from './client-authentication.ts';
import type { SessionTokens } from './session-tokens.ts';

export interface RevocationOptions extends ClientAuthenticationOptions {
  readonly sessions: AppSessions;
  readonly tokens: SessionTokens;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  readonly clock: Clock;
}

/**
 * Handles POST `/oidc/revoke` (RFC 7009): ends the session that a refresh token or an access token of the app belongs
 * to. An unknown token is not an error.
 */
export function revocationHandler(options: RevocationOptions, audited: Filter): Handler {
  const { sessions, tokens, freshness, clock } = options;
  return async (exchange) => {
    if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
    return await answerClient(exchange, audited, options, async (client, form) => {
      await freshness?.confirm();
      const token = form.get('token') ?? '';
      const name = tokens.readRefreshToken(token) ?? tokens.readAccessToken(token, clock.now()) ?? '';
      const session = sessions.find(name);
      if (session !== undefined && session.client.id === client.id) {
        exchange.identity = { user: session.caller, accessKey: name, system: false, signal: exchange.signal };
        await sessions.end(name);
      }
      return { status: 200, headers: { 'cache-control': 'no-store' } };
    });
  };
}
