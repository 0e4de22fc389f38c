import { forbiddenPath, type StatusError, unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { IncomingRequest } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { missingOriginProof } from './same-origin.ts';
import { sessionCookieOf } from './session-cookie.ts';

/** Enables session cookies as credentials. */
export interface BrowserSessions {
  /** The origin under which browsers reach this server, if it is configured. */
  readonly externalUrl: string | undefined;
  /** Returns the identity of the session; `undefined` if there is no such session or it has ended. */
  identityOf(value: string): Identity | undefined;
}

/** A valid session cookie of a request. */
export interface BrowserSession {
  readonly value: string;
  readonly identity: Identity;
  /** Set if the request does not prove that it comes from this console and this session. It is then rejected. */
  readonly refusal?: StatusError;
}

/**
 * The header in which a page sends the ID of the session that it logged in with. The page must not use another cookie,
 * whoever set it. Any server on another port of this host can set one.
 */
export const sessionHeader = 'X-Flotilla-Session';

/** 401 for a page whose session is not the cookie's. The cookie is valid, so this is not an authentication failure. */
export const sessionMismatch = unauthorized();

/** `undefined` if the request has no valid cookie, or has another credential as well: the cookie is then ignored. */
export function browserSession(request: IncomingRequest, sessions: BrowserSessions): BrowserSession | undefined {
  const { headers } = request;
  if (headers.authorization !== undefined) return undefined;
  const value = sessionCookieOf(request);
  const holder = value === undefined ? undefined : sessions.identityOf(value);
  if (value === undefined || holder === undefined) return undefined;
  if (isSessionMismatch(request, holder)) return { value, identity: holder, refusal: sessionMismatch };
  const missing = missingOriginProof(request, sessions.externalUrl);
  return missing.length === 0
    ? { value, identity: holder }
    : { value, identity: holder, refusal: missingProofError(missing) };
}

/** True if the page expects a different session than the one in its cookie. */
export function isSessionMismatch({ headers }: IncomingRequest, { accessKey }: Identity): boolean {
  const expected = headers[sessionHeader.toLowerCase()];
  return expected !== undefined && expected !== accessKey;
}

export function missingProofError(missing: readonly string[]): StatusError {
  return forbiddenPath(`a browser session can be used by the console only: ${missing.join(', ')}`);
}

/**
 * Adds headers that forbid a browser to guess the content type and to store the response. A stored response could open
 * as a page from its URL alone, without a request to this server.
 */
export function withBrowserHeaders(reply: Reply): Reply {
  const headers = { ...reply.headers, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
  return { ...reply, headers };
}
