import { methodNotAllowedOnPath } from '../../api/status.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { readForm } from '../auth/oauth/form-body.ts';
import { OAuthError } from '../auth/oauth/oauth-error.ts';
import type { OidcClient } from '../settings/oidc-provider-settings.ts';
import { errorUrl, knownParameters, readAuthorizationRequest } from './authorization-request.ts';
import { errorPage } from './error-page.ts';

export interface AuthorizeOptions {
  readonly issuer: string;
  readonly clients: ReadonlyMap<string, OidcClient>;
}

/**
 * The path of the console page that asks the user for consent. The browser sends the session cookie only with requests
 * from pages of this origin.
 */
const consolePage = '/authorize-app';

/**
 * Handles `/oidc/authorize`: checks the request of an app and redirects it to the console, where the user has a
 * session. A request with an unknown client or redirect URI gets an error page, never a redirect.
 */
export function authorizeHandler({ issuer, clients }: AuthorizeOptions): Handler {
  return async (exchange) => {
    let parameters: URLSearchParams;
    try {
      parameters = await parametersOf(exchange);
    } catch (error) {
      if (error instanceof OAuthError) return errorPage(`The sign-in request is not valid: ${error.message}.`);
      throw error;
    }
    const read = readAuthorizationRequest(parameters, clients);
    if ('untrusted' in read) return errorPage(read.untrusted);
    if ('returned' in read) return redirect(errorUrl(read.returned, issuer));
    return redirect(`${consolePage}?${knownParameters(parameters).toString()}`);
  };
}

async function parametersOf(exchange: Exchange): Promise<URLSearchParams> {
  const { method } = exchange.request;
  if (method === 'GET' || method === 'HEAD') return exchange.query;
  if (method !== 'POST') throw methodNotAllowedOnPath();
  return await readForm(exchange);
}

function redirect(location: string): Reply {
  return { status: 303, headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } };
}
