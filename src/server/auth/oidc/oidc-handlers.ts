import { badRequest, methodNotAllowedOnPath, pathNotFound, StatusError } from '../../../api/status.ts';
import { type LoginBackoff, sourceNetworkOf } from '../../../auth/login-backoff.ts';
import { type OidcConnector, ProviderError } from '../../../auth/oidc/connector.ts';
import type { Exchange, Handler } from '../../../http/exchange.ts';
import { FairSlots } from '../../../http/limits/fair-slots.ts';
import type { Reply } from '../../../http/reply.ts';
import { rawQuery } from '../../../http/request/path-segments.ts';
import type { BrowserSessions } from '../../../http/session/browser-session.ts';
import { originOf } from '../../../http/session/same-origin.ts';
import { sessionCookie, sessionCookieOf } from '../../../http/session/session-cookie.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { PendingCookies } from './pending-cookie.ts';
import { problemReply, redirectHeaders, SignInError } from './problem-reply.ts';
import { completeSignIn, type ProviderSignInOptions } from './provider-sign-in.ts';
import { returnPath } from './return-path.ts';

export interface OidcHandlerOptions extends ProviderSignInOptions {
  /** The connectors by name. */
  readonly connectors: ReadonlyMap<string, OidcConnector>;
  readonly sessions: BrowserSessions;
  readonly cookies: PendingCookies;
  /** Delays sources whose sign-ins fail. */
  readonly backoff: LoginBackoff;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Limits the sign-ins that wait for one provider. Each connector has its own limits, so that a slow provider does not
 * delay other providers. The slots are shared fairly between sources.
 */
const slotOptions = { slots: 20, maxWaiting: 100, waitMilliseconds: 5_000 };

/**
 * The query parameter that marks a login URL to which this server has redirected a browser from another host name. It
 * prevents a redirect loop.
 */
const movedParameter = 'moved';

/**
 * Handles sign-ins at providers. `/auth/oidc/<connector>/login` redirects the browser to the provider.
 * `/auth/oidc/<connector>/callback` opens a login when the provider redirects the browser back. All requests are
 * anonymous. A browser without the cookie of the sign-in causes no request to the provider and no audit event. Sources
 * whose sign-ins fail have to wait.
 */
export function oidcHandler(options: OidcHandlerOptions): Handler {
  const slots = new Map(
    [...options.connectors.keys()].map((name) => [name, new FairSlots({ ...slotOptions, clock: options.clock })]),
  );
  return async (exchange) => {
    const [, , name = '', step = '', ...more] = exchange.segments ?? [];
    const connector = options.connectors.get(name);
    const connectorSlots = slots.get(name);
    const answer = more.length === 0 ? steps.get(step) : undefined;
    if (connector === undefined || connectorSlots === undefined || answer === undefined) throw pathNotFound();
    if (exchange.request.method !== 'GET') throw methodNotAllowedOnPath();
    return await answer({ exchange, options, connector, slots: connectorSlots });
  };
}

interface Step {
  readonly exchange: Exchange;
  readonly options: OidcHandlerOptions;
  readonly connector: OidcConnector;
  readonly slots: FairSlots;
}

const steps: ReadonlyMap<string, (step: Step) => Promise<Reply>> = new Map([
  ['login', startSignIn],
  ['callback', finishSignIn],
]);

async function startSignIn({ exchange, options, connector, slots }: Step): Promise<Reply> {
  const { request, query, end, signal } = exchange;
  const { externalUrl } = options.sessions;
  const { name } = connector.settings;
  const own = originOf(request.headers.host);
  const returnTo = returnPath(query.get('returnTo'));
  // The sign-in must begin at the external URL, because the provider sends the browser back there, and the cookies of
  // other host names are not available there.
  if (externalUrl !== undefined && own !== externalUrl && !query.has(movedParameter)) {
    const moved = new URLSearchParams({ returnTo, [movedParameter]: '1' });
    return redirect(302, `${externalUrl}/auth/oidc/${name}/login?${moved}`);
  }
  const origin = externalUrl ?? own;
  if (origin === undefined) throw badRequest('the Host header is not valid');
  const redirectUri = `${origin}/auth/oidc/${name}/callback`;
  const release = await slots.acquire(sourceNetworkOf(request.remoteAddress), end);
  if (release === undefined) return problemReply('Busy', name);
  try {
    const { url, pending } = await connector.start(redirectUri, signal);
    const previousLogin = loginOf(exchange, options.sessions);
    const cookies = options.cookies.store(request, { ...pending, redirectUri, returnTo, previousLogin });
    return redirect(302, url.href, cookies);
  } catch (error) {
    if (error instanceof ProviderError) return problemReply('ProviderUnavailable', name);
    throw error;
  } finally {
    release();
  }
}

async function finishSignIn(step: Step): Promise<Reply> {
  const { exchange, options, connector } = step;
  const { request, query } = exchange;
  const { name } = connector.settings;
  const state = query.get('state') ?? '';
  const pending = options.cookies.find(request, state);
  if (pending === undefined || pending.connector !== name) return problemReply('Expired', name);
  // Each sign-in can be used only once. The browser forgets it, whatever the result is.
  const cookies = options.cookies.remove(state);
  // Each state counts as a separate account, so only the failures of the source cause delays.
  const admitted = options.backoff.admit({ account: `sign-in ${state}`, source: request.remoteAddress });
  if (typeof admitted === 'number') return problemReply('Busy', name, cookies);
  const callback = new URL(pending.redirectUri);
  callback.search = rawQuery(request.url);
  const release = await step.slots.acquire(sourceNetworkOf(request.remoteAddress), exchange.end);
  if (release === undefined) {
    admitted.abandon();
    return problemReply('Busy', name, cookies);
  }
  let opened = '';
  try {
    const reply = await completeSignIn(options, exchange, { connector, pending, callback }, (login) => {
      opened = login.name;
      const session = sessionCookie(login.key, (login.expiresAt - options.clock.now()) / 1000);
      return redirect(303, pending.returnTo, [session, ...cookies]);
    });
    admitted.succeed();
    await endPrevious(options, pending.previousLogin, opened);
    return reply;
  } catch (error) {
    if (error instanceof SignInError) return problemReply(error.problem, name, cookies);
    if (error instanceof StatusError && busyCodes.has(error.code)) return problemReply('Busy', name, cookies);
    throw error;
  } finally {
    release();
  }
}

/** The codes of errors after which the user should try again. */
const busyCodes = new Set([429, 503, 504]);

/**
 * Ends the login that the browser had before. The new cookie replaces its cookie, so no client could end this login
 * later.
 */
async function endPrevious({ logins, log }: OidcHandlerOptions, accessKey: string, successor: string): Promise<void> {
  await logins.end(accessKey, successor).catch((error: unknown) => {
    log.warn({ accessKey, error }, 'cannot remove a replaced login');
  });
}

/**
 * Returns the name of the browser's login; '' if there is none. The browser sends its session cookie only with the
 * first request of a sign-in, because the second request is caused by another site.
 */
function loginOf({ request }: Exchange, sessions: BrowserSessions): string {
  const value = sessionCookieOf(request);
  return (value === undefined ? undefined : sessions.identityOf(value)?.accessKey) ?? '';
}

function redirect(status: 302 | 303, location: string, cookies: string[] = []): Reply {
  return {
    status,
    headers: { ...redirectHeaders, location, ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }) },
  };
}
