import { timestamp } from '../../api/meta.ts';
import { methodNotAllowedOnPath } from '../../api/status.ts';
import type { Exchange, Filter, Handler } from '../../http/exchange.ts';
import { type Freshness, findConfirmed } from '../../http/freshness.ts';
import type { Reply } from '../../http/reply.ts';
import {
  type BrowserSessions,
  isSessionMismatch,
  missingProofError,
  sessionMismatchError,
  withBrowserSecurityHeaders,
} from '../../http/session/browser-session.ts';
import { missingOriginProof } from '../../http/session/same-origin.ts';
import { endedSessionCookie, sessionCookie, sessionCookieOf } from '../../http/session/session-cookie.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { jsonReply, readLogin, successStatus } from './login-body.ts';
import type { Logins } from './logins.ts';
import type { NewLogin, SignIn } from './sign-in.ts';

export interface SessionHandlerOptions {
  readonly signIn: SignIn;
  readonly sessions: BrowserSessions;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  readonly logins: Pick<Logins, 'describe' | 'end'>;
  /** Returns the page where the user of a login signs out at their identity provider; `undefined` if there is none. */
  signOutUrl(loginName: string, exchange: Exchange): Promise<string | undefined>;
  readonly audited: Filter;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Handles `/auth/session`. POST opens a login for a browser; the key of this login is only in a cookie. GET returns the
 * owner of the login, or 204 if there is none. DELETE ends the login and removes the cookie. `signOutUrl` in its
 * response is the page at which the user can sign out at the identity provider. All methods accept only requests from
 * pages of this server: no other page may sign a user out, or sign a user in under another name unnoticed.
 */
export function sessionHandler(options: SessionHandlerOptions): Handler {
  return async (exchange) => {
    const { request } = exchange;
    const answer = methods.get(request.method);
    if (answer === undefined) throw methodNotAllowedOnPath();
    const missing = missingOriginProof(request, options.sessions.externalUrl);
    if (request.headers.authorization !== undefined) missing.push('it has an Authorization header');
    // This rejection is not audited, because anonymous requests can cause any number of them.
    if (missing.length > 0) throw missingProofError(missing);
    return withBrowserSecurityHeaders(await answer(exchange, options));
  };
}

async function getSession(exchange: Exchange, options: SessionHandlerOptions): Promise<Reply> {
  const { logins } = options;
  const { accessKey = '' } = (await holderOf(exchange, options)) ?? {};
  const found = logins.describe(accessKey);
  if (found === undefined) return { status: 204, headers: {} };
  return jsonReply(200, { user: found.owner, accessKey, expires: timestamp(found.expiresAt) });
}

async function openSession(exchange: Exchange, options: SessionHandlerOptions): Promise<Reply> {
  const { signIn, logins, clock, log } = options;
  const credentials = await readLogin(exchange, true).catch((error: unknown) => {
    throw signIn.rejectMalformed(exchange, error);
  });
  let opened = '';
  const createReply = ({ key, name, owner, expiresAt, recoveryCodes }: NewLogin): Reply => {
    opened = name;
    const cookie = sessionCookie(key, (expiresAt - clock.now()) / 1000);
    const body = { user: owner, accessKey: name, expires: timestamp(expiresAt), recoveryCodes };
    return jsonReply(201, body, { 'set-cookie': cookie });
  };
  const before = await holderOf(exchange, options);
  const reply =
    credentials.username === undefined
      ? await signIn.withKey(exchange, credentials.accessKey, createReply)
      : await signIn.withPassword(exchange, credentials, createReply);
  const { accessKey = '' } = before ?? {};
  // Ends the old login now. The new cookie replaces the cookie of the old login, so no client could end the old login
  // later.
  await logins.end(accessKey, opened).catch((error: unknown) => {
    log.warn({ accessKey, error }, 'cannot remove a replaced login');
  });
  return reply;
}

async function endSession(exchange: Exchange, options: SessionHandlerOptions): Promise<Reply> {
  const { logins, audited } = options;
  const endedReply = (more: object = {}): Reply =>
    jsonReply(200, { ...successStatus, ...more }, { 'set-cookie': endedSessionCookie });
  const holder = await holderOf(exchange, options);
  const name = holder?.accessKey;
  if (holder === undefined || name === undefined) return endedReply();
  // The cookie may belong to a different login than the login that this page shows. Ending the login of the cookie
  // would leave the shown login active.
  if (isSessionMismatch(exchange.request, holder)) throw sessionMismatchError;
  exchange.identity = holder;
  exchange.decision = { allowed: true, reason: 'logout' };
  return await audited(exchange, async () => {
    // The URL must be determined before the login ends, because an ended login no longer has the ID token that the
    // provider needs.
    const signOutUrl = await options.signOutUrl(name, exchange);
    await logins.end(name);
    return endedReply(signOutUrl === undefined ? {} : { signOutUrl });
  });
}

const methods = new Map([
  ['GET', getSession],
  ['HEAD', getSession],
  ['POST', openSession],
  ['DELETE', endSession],
]);

/**
 * Returns the holder of the session cookie. Waits until the caches are current, because another replica may have just
 * opened the session.
 */
async function holderOf(
  exchange: Exchange,
  { sessions, freshness }: SessionHandlerOptions,
): Promise<ReturnType<BrowserSessions['identityOf']>> {
  const value = sessionCookieOf(exchange.request);
  if (value === undefined) return undefined;
  await freshness?.requireCurrent();
  return await findConfirmed(freshness, () => sessions.identityOf(value));
}
