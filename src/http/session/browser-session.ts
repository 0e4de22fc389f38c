import { forbiddenPath, type StatusError, unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Exchange, IncomingRequest } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { missingOriginProof } from './same-origin.ts';
import { sessionCookieOf } from './session-cookie.ts';
import { isConsoleShell, missingWebSocketProof } from './web-socket-origin.ts';

/** The login sessions of the console, whose cookies are accepted as credentials. */
export interface BrowserSessions {
  /** The origin under which browsers reach this server, such as `https://host:port`; `undefined` if not configured. */
  readonly externalUrl: string | undefined;
  /**
   * Returns the identity for the value of a session cookie; `undefined` if there is no such session or it has ended.
   */
  identityOf(value: string): Identity | undefined;
}

/** The session of a valid session cookie. `value` is the value of the cookie. */
export interface BrowserSession {
  readonly value: string;
  readonly identity: Identity;
  /**
   * The error for a request that does not prove that a page of the console sent it in this session. Absent if the
   * request contains this proof.
   */
  readonly refusal?: StatusError;
}

/**
 * The request header with the ID of the session in which the page was opened. It protects against a cookie of another
 * session: any server on another port of this host can set the cookie.
 */
export const sessionHeader = 'X-Flotilla-Session';

/**
 * The 401 error for a request whose session header differs from the session of the cookie. It does not count as a
 * failed login.
 */
export const sessionMismatchError = unauthorized();

/**
 * Returns the session of a request. `undefined` if the request has no valid session cookie, or if it has an
 * Authorization header, which takes precedence.
 */
export function browserSession(
  exchange: Pick<Exchange, 'request' | 'info'>,
  sessions: BrowserSessions,
): BrowserSession | undefined {
  const { request } = exchange;
  const { headers } = request;
  if (headers.authorization !== undefined) return undefined;
  const value = sessionCookieOf(request);
  const holder = value === undefined ? undefined : sessions.identityOf(value);
  if (value === undefined || holder === undefined) return undefined;
  if (isSessionMismatch(request, holder)) return { value, identity: holder, refusal: sessionMismatchError };
  const { externalUrl } = sessions;
  const missing = isConsoleShell(exchange)
    ? missingWebSocketProof(request, { login: holder.accessKey, externalUrl })
    : missingOriginProof(request, externalUrl);
  return missing.length === 0
    ? { value, identity: holder }
    : { value, identity: holder, refusal: missingProofError(missing) };
}

/** True if the page was opened in another session than the one that the cookie identifies. */
export function isSessionMismatch({ headers }: IncomingRequest, { accessKey }: Identity): boolean {
  const expected = headers[sessionHeader.toLowerCase()];
  return expected !== undefined && expected !== accessKey;
}

export function missingProofError(missing: readonly string[]): StatusError {
  return forbiddenPath(`a browser session can be used by the console only: ${missing.join(', ')}`);
}

/**
 * Adds headers that forbid browsers to guess the content type and to store the response. A browser could otherwise show
 * a stored response as a page without sending a request to this server.
 */
export function withBrowserSecurityHeaders(reply: Reply): Reply {
  const headers = { ...reply.headers, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
  return { ...reply, headers };
}
