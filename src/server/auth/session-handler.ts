import { timestamp } from '../../api/meta.ts';
import { methodNotAllowedOnPath } from '../../api/status.ts';
import type { Exchange, Filter, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import {
  type BrowserSessions,
  isSessionMismatch,
  missingProofError,
  sessionMismatch,
  withBrowserHeaders,
} from '../../http/session/browser-session.ts';
import { missingOriginProof } from '../../http/session/same-origin.ts';
import { endedSessionCookie, sessionCookie, sessionCookieOf } from '../../http/session/session-cookie.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { jsonReply, readLogin, successStatus } from './login-body.ts';
import type { Logins, OpenedLogin } from './logins.ts';
import type { SignIn } from './sign-in.ts';

export interface SessionHandlerOptions {
  readonly signIn: SignIn;
  readonly sessions: BrowserSessions;
  readonly logins: Pick<Logins, 'describe' | 'end'>;
  readonly audited: Filter;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * `/auth/session`. POST opens a login for a browser, whose key exists only in a cookie. GET returns its owner, or 204
 * without counting as a failure. DELETE ends it and removes the cookie. All methods require requests from pages of this
 * server: no other page may sign a user in, which could make them act as another user unnoticed, or sign them out.
 */
export function sessionHandler(options: SessionHandlerOptions): Handler {
  return async (exchange) => {
    const { request } = exchange;
    const answer = methods.get(request.method);
    if (answer === undefined) throw methodNotAllowedOnPath();
    const missing = missingOriginProof(request, options.sessions.externalUrl);
    if (request.headers.authorization !== undefined) missing.push('it has an Authorization header');
    // Anonymous requests can cause this rejection at no cost, so it is not audited.
    if (missing.length > 0) throw missingProofError(missing);
    return withBrowserHeaders(await answer(exchange, options));
  };
}

async function getSession(exchange: Exchange, { sessions, logins }: SessionHandlerOptions): Promise<Reply> {
  const { accessKey = '' } = holderOf(exchange, sessions) ?? {};
  const found = logins.describe(accessKey);
  if (found === undefined) return { status: 204, headers: {} };
  return jsonReply(200, { user: found.owner, accessKey, expires: timestamp(found.expiresAt) });
}

async function openSession(exchange: Exchange, options: SessionHandlerOptions): Promise<Reply> {
  const { signIn, sessions, logins, clock, log } = options;
  const credentials = await readLogin(exchange, true);
  let opened = '';
  const createReply = ({ key, name, owner, expiresAt }: OpenedLogin): Reply => {
    opened = name;
    const cookie = sessionCookie(key, (expiresAt - clock.now()) / 1000);
    const body = { user: owner, accessKey: name, expires: timestamp(expiresAt) };
    return jsonReply(201, body, { 'set-cookie': cookie });
  };
  const before = holderOf(exchange, sessions);
  const reply =
    credentials.username === undefined
      ? await signIn.withKey(exchange, credentials.accessKey, createReply)
      : await signIn.withPassword(exchange, credentials, createReply);
  const { accessKey = '' } = before ?? {};
  // The browser's cookie was replaced, so no client could end the old login any more.
  await logins.end(accessKey, opened).catch((error: unknown) => {
    log.warn({ accessKey, error }, 'cannot remove a replaced login');
  });
  return reply;
}

async function endSession(exchange: Exchange, { sessions, logins, audited }: SessionHandlerOptions): Promise<Reply> {
  const endedReply = (): Reply => jsonReply(200, successStatus, { 'set-cookie': endedSessionCookie });
  const holder = holderOf(exchange, sessions);
  const name = holder?.accessKey;
  if (holder === undefined || name === undefined) return endedReply();
  // Otherwise the page's own login would continue although the user signed out.
  if (isSessionMismatch(exchange.request, holder)) throw sessionMismatch;
  exchange.identity = holder;
  exchange.decision = { allowed: true, reason: 'logout' };
  return await audited(exchange, async () => {
    await logins.end(name);
    return endedReply();
  });
}

const methods = new Map([
  ['GET', getSession],
  ['HEAD', getSession],
  ['POST', openSession],
  ['DELETE', endSession],
]);

function holderOf(exchange: Exchange, sessions: BrowserSessions): ReturnType<BrowserSessions['identityOf']> {
  const value = sessionCookieOf(exchange.request);
  return value === undefined ? undefined : sessions.identityOf(value);
}
