import { methodNotAllowedOnPath } from '../../api/status.ts';
import type { Exchange, Filter, Handler } from '../../http/exchange.ts';
import type { Freshness } from '../../http/freshness.ts';
import type { Reply } from '../../http/reply.ts';
import { keyStateOf } from '../../management/access-keys/access-key-state.ts';
import { isLogin } from '../../management/access-keys/login-keys.ts';
import type { ManagementState } from '../../management/state.ts';
import type { Logins } from '../auth/logins.ts';
import { readForm } from '../auth/oauth/form-body.ts';
import { OAuthError } from '../auth/oauth/oauth-error.ts';
import { returnUrl } from './authorization-request.ts';
import { errorPage } from './error-page.ts';
import { type IdTokenHint, type IdTokenHintOptions, readIdTokenHint } from './id-token-hint.ts';
import { signedOutPage } from './signed-out-page.ts';

export interface EndSessionOptions extends IdTokenHintOptions {
  readonly state: ManagementState;
  readonly logins: Pick<Logins, 'end'>;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
}

/** A sign-out that an app requests. All its parts have been checked. */
interface EndSessionRequest {
  readonly hint: IdTokenHint;
  /** The address to which the browser returns; `undefined` if the app named none. */
  readonly returnTo: string | undefined;
}

const parameterNames = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const;
type Parameters = Readonly<Record<(typeof parameterNames)[number], string>>;

/** Maximum length of a request. An ID token with hundreds of teams has several thousand characters. */
const maxLength = 32 * 1024;
const maxStateLength = 4_096;

/**
 * Handles `/oidc/end-session` (OpenID Connect RP-Initiated Logout): an app signs its user out. Ends the login in which
 * the user signed in to the app, and thus the sessions of all apps in this login.
 * The browser sends no session cookie with a request from another site, so the ID token proves that the user had signed
 * in to the app. A request without an ID token is refused, because any page could send it.
 */
export function endSessionHandler(options: EndSessionOptions, audited: Filter): Handler {
  const { freshness } = options;
  return async (exchange) => {
    // Keeps the query out of the audit log, because it may contain an ID token.
    exchange.auditedUrl = exchange.request.url.split('?', 1)[0];
    const sent = await parametersOf(exchange);
    if (typeof sent === 'string') return refusal(sent);
    await freshness?.confirm();
    const read = await readRequest(sent, options);
    // Refusals are not audited, because anonymous requests can cause any number of them.
    if (typeof read === 'string') return refusal(read);
    await endLogin(exchange, read.hint, options, audited);
    if (read.returnTo === undefined) return signedOutPage(read.hint.client.name);
    return { status: 303, headers: { location: read.returnTo, ...privateHeaders } };
  };
}

const privateHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function refusal(problem: string): Reply {
  return errorPage(problem, { title: 'Cannot sign out', heading: 'Cannot sign out of Flotilla through the app' });
}

/** Returns the parameters, or the reason why they cannot be read. */
async function parametersOf(exchange: Exchange): Promise<Parameters | string> {
  const { method } = exchange.request;
  if (method !== 'GET' && method !== 'POST') throw methodNotAllowedOnPath();
  let sent: URLSearchParams;
  try {
    sent = method === 'POST' ? await readForm(exchange, maxLength) : exchange.query;
  } catch (error) {
    if (error instanceof OAuthError) return 'The sign-out request is not a form.';
    throw error;
  }
  if (parameterNames.some((name) => sent.getAll(name).length > 1))
    return 'The sign-out request sets a parameter twice.';
  const [idTokenHint = '', clientId = '', redirectUri = '', state = ''] = parameterNames.map(
    (name) => sent.get(name) ?? '',
  );
  if (state.length > maxStateLength) return 'The state of the sign-out request is too long.';
  return { id_token_hint: idTokenHint, client_id: clientId, post_logout_redirect_uri: redirectUri, state };
}

/** Checks the whole request before any login ends. Returns the request, or the reason why it is refused. */
async function readRequest(sent: Parameters, options: EndSessionOptions): Promise<EndSessionRequest | string> {
  const hint = await readIdTokenHint(sent.id_token_hint, options);
  if (hint === undefined) return 'The app sent no ID token of this server. Sign out in the console instead.';
  const { client } = hint;
  if (sent.client_id !== '' && sent.client_id !== client.id) return 'The ID token was issued to another app.';
  const redirectUri = sent.post_logout_redirect_uri;
  if (redirectUri === '') return { hint, returnTo: undefined };
  if (!client.postLogoutRedirectUris.includes(redirectUri))
    return `The address after the sign-out is not registered for ${client.name}.`;
  return { hint, returnTo: sent.state === '' ? redirectUri : returnUrl(redirectUri, { state: sent.state }) };
}

/** Ends the login that an ID token names, unless the login has already ended. */
async function endLogin(
  exchange: Exchange,
  { client, subject, login }: IdTokenHint,
  { state, logins }: EndSessionOptions,
  audited: Filter,
): Promise<void> {
  const key = state.accessKey(login);
  const user = state.user(key?.spec?.user ?? '');
  const caller = key && keyStateOf(key, state).user;
  // Checks the user too, because a login of another user may later get the same name.
  if (key === undefined || !isLogin(key) || user?.metadata.uid !== subject || caller === undefined) return;
  exchange.identity = { user: caller, accessKey: login, system: false, signal: exchange.signal };
  exchange.decision = { allowed: true, reason: `logout requested by the app "${client.id}"` };
  await audited(exchange, async () => {
    await logins.end(login);
    return { status: 200, headers: {} };
  });
}
