import { timestamp } from '../api/meta.ts';
import { methodNotAllowedOnPath } from '../api/status.ts';
import { anotherSession, type BrowserSessions, forBrowser, meansAnother, unproved } from '../http/browser-session.ts';
import type { Exchange, Filter, Handler, Reply } from '../http/exchange.ts';
import { missingProof } from '../http/same-origin.ts';
import { endedSessionCookie, sessionCookie, sessionCookieOf } from '../http/session-cookie.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { jsonAnswer, readLogin, success } from './login-body.ts';
import type { Logins, OpenedLogin } from './logins.ts';
import type { SignIn } from './sign-in.ts';

export interface SessionHandlerOptions {
  readonly signIn: SignIn;
  readonly sessions: BrowserSessions;
  readonly logins: Pick<Logins, 'about' | 'end'>;
  readonly audited: Filter;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * `/auth/session`. POST: a login for a browser, whose key goes into a cookie and nowhere else. GET: whose it is, or 204;
 * who only looks has failed at nothing. DELETE: it is over, and the cookie goes. All of it is for pages of this server only:
 * no other page may sign anybody in, which would have them work as somebody else without noticing, or out.
 */
export function sessionHandler(options: SessionHandlerOptions): Handler {
  return async (exchange) => {
    const { request } = exchange;
    const answer = methods.get(request.method);
    if (answer === undefined) throw methodNotAllowedOnPath();
    const missing = missingProof(request, options.sessions.externalUrl);
    if (request.headers.authorization !== undefined) missing.push('it has an Authorization header');
    // Anybody can be refused so at no cost: it leaves no line in the audit log.
    if (missing.length > 0) throw unproved(missing);
    return forBrowser(await answer(exchange, options));
  };
}

async function look(exchange: Exchange, { sessions, logins }: SessionHandlerOptions): Promise<Reply> {
  const { accessKey = '' } = holderOf(exchange, sessions) ?? {};
  const found = logins.about(accessKey);
  if (found === undefined) return { status: 204, headers: {} };
  return jsonAnswer(200, { user: found.owner, accessKey, expires: timestamp(found.expiresAt) });
}

async function open(exchange: Exchange, options: SessionHandlerOptions): Promise<Reply> {
  const { signIn, sessions, logins, clock, log } = options;
  const shown = await readLogin(exchange, true);
  let opened = '';
  const tell = ({ key, name, owner, expiresAt }: OpenedLogin): Reply => {
    opened = name;
    const cookie = sessionCookie(key, (expiresAt - clock.now()) / 1000);
    const told = { user: owner, accessKey: name, expires: timestamp(expiresAt) };
    return jsonAnswer(201, told, { 'set-cookie': cookie });
  };
  const before = holderOf(exchange, sessions);
  const reply =
    shown.username === undefined
      ? await signIn.withKey(exchange, shown.accessKey, tell)
      : await signIn.withPassword(exchange, shown, tell);
  const { accessKey = '' } = before ?? {};
  // The browser has another cookie now: nobody could end that login any more.
  await logins.end(accessKey, opened).catch((error: unknown) => {
    log.warn({ accessKey, error }, 'a login that another one took the place of could not be removed');
  });
  return reply;
}

async function end(exchange: Exchange, { sessions, logins, audited }: SessionHandlerOptions): Promise<Reply> {
  const over = (): Reply => jsonAnswer(200, success, { 'set-cookie': endedSessionCookie });
  const holder = holderOf(exchange, sessions);
  const name = holder?.accessKey;
  if (holder === undefined || name === undefined) return over();
  // The page's own login would go on, while whoever signs out is told that it is over.
  if (meansAnother(exchange.request, holder)) throw anotherSession;
  exchange.identity = holder;
  exchange.decision = { allowed: true, reason: 'the end of a login' };
  return await audited(exchange, async () => {
    await logins.end(name);
    return over();
  });
}

const methods = new Map([
  ['GET', look],
  ['HEAD', look],
  ['POST', open],
  ['DELETE', end],
]);

function holderOf(exchange: Exchange, sessions: BrowserSessions): ReturnType<BrowserSessions['holder']> {
  const value = sessionCookieOf(exchange.request);
  return value === undefined ? undefined : sessions.holder(value);
}
