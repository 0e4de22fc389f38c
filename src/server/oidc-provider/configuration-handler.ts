import { methodNotAllowedOnPath } from '../../api/status.ts';
import { tokenAlgorithm } from '../../auth/direct-token.ts';
import type { Handler } from '../../http/exchange.ts';
import { supportedScopes } from './scopes.ts';

/** GET `/oidc/.well-known/openid-configuration`: describes the provider to apps. */
export function configurationHandler(issuer: string): Handler {
  const body = JSON.stringify({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/end-session`,
    scopes_supported: supportedScopes,
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'sid'],
      ...['name', 'preferred_username', 'email', 'email_verified', 'groups'],
    ],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [tokenAlgorithm],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['login', 'consent', 'select_account'],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  });
  const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };
  return async ({ request }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowedOnPath();
    return { status: 200, headers: { ...headers }, body };
  };
}
