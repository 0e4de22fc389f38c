import { type AccessKey, accessKeyTypes, clientAccessKeyTypes } from '../../api/management/v1/access-key.ts';
import { badRequest, forbiddenPath, methodNotAllowedOnPath } from '../../api/status.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { callerOf } from '../../http/session/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { hiddenCreatorKey } from '../../management/access-keys/access-key-hidden.ts';
import { scopesOf } from '../../management/access-keys/access-key-state.ts';
import { isLogin, openingTimeOf } from '../../management/access-keys/login-keys.ts';
import type { ManagementState } from '../../management/state.ts';
import { jsonReply } from '../auth/login-body.ts';
import { readDistinctForm } from '../auth/oauth/form-body.ts';
import { OAuthError } from '../auth/oauth/oauth-error.ts';
import type { OidcClient } from '../settings/oidc-provider-settings.ts';
import { type AppSessions, mayUseApp } from './app-sessions.ts';
import type { AuthorizationCodes } from './authorization-codes.ts';
import { type AuthorizationRequest, errorUrl, readAuthorizationRequest, returnUrl } from './authorization-request.ts';

export interface ConsentOptions {
  readonly issuer: string;
  readonly clients: ReadonlyMap<string, OidcClient>;
  readonly state: ManagementState;
  readonly sessions: Pick<AppSessions, 'hasSession'>;
  readonly codes: Pick<AuthorizationCodes, 'issue'>;
  readonly clock: Clock;
}

/** A user who is asked in the console whether to sign in to an app. */
interface AskedUser {
  readonly name: string;
  readonly login: AccessKey;
}

/**
 * Handles `/oidc/consent`, for the console. GET describes an authorization request. POST with `decision=allow` or
 * `deny` answers the request and returns the address to which the browser goes next. Requires a browser session without
 * a scope, because a key for a single purpose must not sign in to other apps as its user.
 */
export function consentHandler(options: ConsentOptions): Handler {
  return async (exchange) => {
    const { method } = exchange.request;
    const user = askedUser(exchange, options.state);
    if (method === 'GET') return describeRequest(exchange.query.get('request') ?? '', user, options);
    if (method !== 'POST') throw methodNotAllowedOnPath();
    const form = await readDistinctForm(exchange).catch((error: unknown) => {
      throw error instanceof OAuthError ? badRequest(error.message) : error;
    });
    return await answerRequest(exchange, form, user, options);
  };
}

function describeRequest(parameters: string, { name, login }: AskedUser, options: ConsentOptions): Reply {
  const read = readRequest(parameters, options);
  if ('location' in read) return jsonReply(200, read);
  const { request } = read;
  const { client, scopes } = request;
  const isKnown = options.sessions.hasSession(login.metadata.name ?? '', client.id, scopes);
  return jsonReply(200, {
    app: { id: client.id, name: client.name },
    user: name,
    mustConfirm: request.asksConsent || !isKnown,
    mustSignInAgain: isTooOld(request, login, options),
    ...(isAllowed(request, name, options.state) ? {} : { refusal: refusalOf(request, name) }),
  });
}

async function answerRequest(
  exchange: Exchange,
  form: ReadonlyMap<string, string>,
  { name, login }: AskedUser,
  options: ConsentOptions,
): Promise<Reply> {
  const read = readRequest(form.get('request') ?? '', options);
  if ('location' in read) return jsonReply(200, read);
  const { request } = read;
  const { client, redirectUri, state, nonce, scopes, codeChallenge } = request;
  const decision = form.get('decision');
  if (decision !== 'allow' && decision !== 'deny') throw badRequest('decision must be allow or deny');
  if (decision === 'deny') {
    const denied = { redirectUri, state, error: 'access_denied', description: 'the user declined the sign-in' };
    return jsonReply(200, { location: errorUrl(denied, options.issuer) });
  }
  if (!isAllowed(request, name, options.state)) throw forbiddenPath(refusalOf(request, name));
  if (isTooOld(request, login, options))
    throw forbiddenPath(`${client.name} asks for a login that is at most ${request.maxAge} seconds old; sign in again`);
  const { name: loginName = '', uid: loginUid = '' } = login.metadata;
  const code = await options.codes.issue(name, {
    clientId: client.id,
    redirectUri,
    scopes,
    codeChallenge,
    login: loginName,
    loginUid,
    ...(nonce === undefined ? {} : { nonce }),
  });
  exchange.decision = { allowed: true, reason: `sign-in to the app "${client.id}"` };
  return jsonReply(200, { location: returnUrl(redirectUri, { code, state, iss: options.issuer }) });
}

/**
 * Reads a request with the rules of the authorization endpoint. `location` is the address to which the browser goes if
 * the request has an error.
 */
function readRequest(
  parameters: string,
  { clients, issuer }: ConsentOptions,
): { readonly request: AuthorizationRequest } | { readonly location: string } {
  const read = readAuthorizationRequest(new URLSearchParams(parameters), clients);
  if ('untrusted' in read) throw badRequest(read.untrusted);
  return 'returned' in read ? { location: errorUrl(read.returned, issuer) } : read;
}

function askedUser(exchange: Exchange, state: ManagementState): AskedUser {
  const { accessKey = '' } = callerOf(exchange);
  const login = state.accessKey(accessKey);
  const why =
    exchange.credential?.isBearer === false ? reasonAgainst(login, state) : 'the request has no session cookie';
  if (login === undefined || why !== undefined)
    throw forbiddenPath(`only a person who is signed in to the console can sign in to other apps: ${why}`);
  return { name: login.spec?.user ?? '', login };
}

/** Returns the reason why a login cannot be used to sign in to apps; `undefined` if it can be used. */
function reasonAgainst(login: AccessKey | undefined, state: ManagementState): string | undefined {
  if (login === undefined || !isLogin(login)) return 'the session is not a login';
  if ((login.spec?.user ?? '') === '') return 'the login does not belong to a user';
  if (scopesOf(login, state).length > 0) return 'the login has a scope';
  const opener = state.accessKeyHidden(login.metadata.name ?? '')?.[hiddenCreatorKey]?.name ?? '';
  const type = state.accessKey(opener)?.spec?.type ?? accessKeyTypes[0];
  const isClientKey = opener !== '' && (clientAccessKeyTypes as readonly string[]).includes(type);
  return isClientKey
    ? 'the login was opened with an access key; sign in again with a password or an identity provider'
    : undefined;
}

function isAllowed({ client }: AuthorizationRequest, user: string, state: ManagementState): boolean {
  return mayUseApp(client, state.teamsOf(user));
}

function refusalOf({ client }: AuthorizationRequest, user: string): string {
  return `the user "${user}" is in none of the teams that may use ${client.name}; ask an administrator`;
}

function isTooOld({ maxAge }: AuthorizationRequest, login: AccessKey, { state, clock }: ConsentOptions): boolean {
  if (maxAge === undefined) return false;
  // Timestamps have no fractions of a second, so a login from the current second is never too old.
  const age = clock.now() - Date.parse(openingTimeOf(login, state));
  return age >= (maxAge + 1) * 1000;
}
