import { hash, timingSafeEqual } from 'node:crypto';
import { methodNotAllowedOnPath } from '../../api/status.ts';
import type { Filter, Handler } from '../../http/exchange.ts';
import type { Freshness } from '../../http/freshness.ts';
import type { Reply } from '../../http/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SigningKeys } from '../../process/signing-keys.ts';
import { jsonReply } from '../auth/login-body.ts';
import { invalidGrant, invalidRequest, OAuthError } from '../auth/oauth/oauth-error.ts';
import type { OidcClient } from '../settings/oidc-provider-settings.ts';
import { answerClient } from './answer-client.ts';
import type { AppSession, AppSessions } from './app-sessions.ts';
import type { AuthorizationCodes } from './authorization-codes.ts';
import type { ClientAuthenticationOptions } from './client-authentication.ts';
import { signIdToken } from './id-token.ts';
import { grantedScopes } from './scopes.ts';
import type { SessionTokens } from './session-tokens.ts';
import { userClaims } from './user-claims.ts';

export interface TokenOptions extends ClientAuthenticationOptions {
  readonly issuer: string;
  readonly sessions: AppSessions;
  readonly codes: AuthorizationCodes;
  readonly tokens: SessionTokens;
  readonly signingKeys: Pick<SigningKeys, 'current'>;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  readonly clock: Clock;
}

/** A session and the tokens that a response contains. */
interface Issued {
  readonly session: AppSession;
  /** The refresh token; absent if the app did not request `offline_access`. */
  readonly refreshToken: string | undefined;
  /** The nonce for the ID token. Absent in refreshed tokens. */
  readonly nonce: string | undefined;
}

type Form = ReadonlyMap<string, string>;

/** POST `/oidc/token`: exchanges an authorization code or a refresh token for tokens. */
export function tokenHandler(options: TokenOptions, audited: Filter): Handler {
  return async (exchange) => {
    if (exchange.request.method !== 'POST') throw methodNotAllowedOnPath();
    return await answerClient(exchange, audited, options, async (client, form) => {
      // Confirms that the caches are current. With an outdated cache, a new refresh token could look outdated.
      await options.freshness?.confirm();
      const issued = await issue(form, client, options);
      const { caller, name } = issued.session;
      exchange.identity = { user: caller, accessKey: name, system: false, signal: exchange.signal };
      return await tokenReply(issued, options);
    });
  };
}

function issue(form: Form, client: OidcClient, options: TokenOptions): Promise<Issued> {
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchangeCode(form, client, options);
    case 'refresh_token':
      return refresh(form, client, options);
    case undefined:
      throw invalidRequest('grant_type is missing');
    default:
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  }
}

async function exchangeCode(form: Form, client: OidcClient, options: TokenOptions): Promise<Issued> {
  const { codes, sessions } = options;
  const code = required(form, 'code');
  const verifier = required(form, 'code_verifier');
  const redirectUri = required(form, 'redirect_uri');
  const grant = await codes.read(code);
  if (grant === undefined || grant.clientId !== client.id) throw invalidGrant('the code is unknown or has expired');
  if (grant.redirectUri !== redirectUri) throw invalidGrant('redirect_uri is not that of the authorization request');
  if (!isVerifierOf(grant.codeChallenge, verifier)) throw invalidGrant('code_verifier does not match code_challenge');
  const name = sessions.newName();
  const problem = await codes.use(code, name);
  if (problem === 'expired') throw invalidGrant('the code is unknown or has expired');
  if (problem !== undefined)
    throw await endedSession(problem.earlierSession, 'the code was used before; the session that it opened', sessions);
  const opened = await sessions.open(name, grant);
  if (opened === undefined) throw invalidGrant('the login of the user has ended, or the user may not use this app');
  // The code may have been presented again before the session existed.
  if (await codes.isReplayed(code)) throw await endedSession(name, 'the code was used twice; the session', sessions);
  const { session, refreshToken } = opened;
  const isRefreshable = session.scopes.includes('offline_access');
  return { session, refreshToken: isRefreshable ? refreshToken : undefined, nonce: grant.nonce };
}

async function refresh(form: Form, client: OidcClient, { sessions, tokens }: TokenOptions): Promise<Issued> {
  const presented = required(form, 'refresh_token');
  const name = tokens.readRefreshToken(presented) ?? '';
  const session = sessions.find(name);
  if (session === undefined || session.client.id !== client.id || !session.scopes.includes('offline_access'))
    throw invalidGrant('the refresh token is not valid, or the session has ended');
  const wanted = form.get('scope');
  if (wanted !== undefined && grantedScopes(wanted).some((scope) => !session.scopes.includes(scope)))
    throw new OAuthError('invalid_scope', 'scope must not contain more than the first request');
  const refreshToken = await sessions.rotate(name, presented);
  // An outdated token was presented, either by the app or by somebody else. The server cannot distinguish them, so it
  // ends the session for both.
  if (refreshToken === undefined)
    throw await endedSession(name, 'the refresh token was used before; the session', sessions);
  return { session, refreshToken, nonce: undefined };
}

/**
 * Ends a session whose code or token was used twice. Returns an error whose text is `what`, followed by "has ended".
 */
async function endedSession(name: string, what: string, sessions: AppSessions): Promise<OAuthError> {
  const user = sessions.find(name)?.user.metadata.name ?? '';
  await sessions.end(name);
  const error = invalidGrant(`${what} has ended`);
  error.auditDetail = ` (user "${user}", session "${name}")`;
  return error;
}

async function tokenReply({ session, refreshToken, nonce }: Issued, options: TokenOptions): Promise<Reply> {
  const { issuer, tokens, signingKeys, clock } = options;
  const now = clock.now();
  const expiresAt = Math.min(now + session.client.tokenTTL * 1000, session.expiresAt);
  const idToken = await signIdToken(signingKeys.current(), {
    issuer,
    clientId: session.client.id,
    login: session.login.metadata.name ?? '',
    claims: userClaims(session, session.scopes),
    authTime: Math.floor(session.authenticatedAt / 1000),
    nonce,
    issuedAt: Math.floor(now / 1000),
    expiresAt: Math.floor(expiresAt / 1000),
  });
  const body = {
    access_token: tokens.createAccessToken(session.name, expiresAt),
    token_type: 'Bearer',
    expires_in: Math.floor((expiresAt - now) / 1000),
    scope: session.scopes.join(' '),
    id_token: idToken,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  };
  return jsonReply(200, body, { pragma: 'no-cache' });
}

function required(form: Form, name: string): string {
  const value = form.get(name) ?? '';
  if (value === '') throw invalidRequest(`${name} is missing`);
  return value;
}

const verifierPattern = /^[A-Za-z0-9._~-]{43,128}$/;

function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!verifierPattern.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge));
}
