import { forbiddenPath, type StatusError, unauthorized } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { IncomingRequest, Reply } from './exchange.ts';
import { missingProof } from './same-origin.ts';
import { sessionCookieOf } from './session-cookie.ts';

/** Where a browser's cookie is a credential. */
export interface BrowserSessions {
  /** The origin under which browsers reach this server, where it is set. */
  readonly externalUrl: string | undefined;
  /** Whose login that is; undefined: nobody's, or one that has ended. */
  holder(value: string): Identity | undefined;
}

/** What came with a cookie that is somebody's. */
export interface BrowserSession {
  readonly value: string;
  readonly holder: Identity;
  /** Where it is not proved that a page of this server asks, or one that means this login: nothing is done. */
  readonly refusal?: StatusError;
}

/**
 * The name of the login that a page knows itself to be signed in with: from then on another cookie is none of its own,
 * whoever put it there. Whoever has another port of this host can.
 */
export const sessionHeader = 'X-Flotilla-Session';

/** 401 to a page whose login is not the cookie's. The cookie is good: it is nobody's guess, and no failure of theirs. */
export const anotherSession = unauthorized();

/** undefined: the request came without one, or with another credential besides, and the cookie is as if not there. */
export function browserSession(request: IncomingRequest, sessions: BrowserSessions): BrowserSession | undefined {
  const { headers } = request;
  if (headers.authorization !== undefined) return undefined;
  const value = sessionCookieOf(request);
  const holder = value === undefined ? undefined : sessions.holder(value);
  if (value === undefined || holder === undefined) return undefined;
  if (meansAnother(request, holder)) return { value, holder, refusal: anotherSession };
  const missing = missingProof(request, sessions.externalUrl);
  return missing.length === 0 ? { value, holder } : { value, holder, refusal: unproved(missing) };
}

/** Whether the page that asks knows itself to be signed in with another login than its cookie's. */
export function meansAnother({ headers }: IncomingRequest, { accessKey }: Identity): boolean {
  const meant = headers[sessionHeader.toLowerCase()];
  return meant !== undefined && meant !== accessKey;
}

export function unproved(missing: readonly string[]): StatusError {
  return forbiddenPath(`a session in a browser is good for requests of the console only: ${missing.join(', ')}`);
}

/**
 * What a browser is told besides: to take an answer for what it says it is, and to keep nothing of it. What was kept
 * could open as a page by its address alone, without anybody here being asked.
 */
export function forBrowser(reply: Reply): Reply {
  const headers = { ...reply.headers, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
  return { ...reply, headers };
}
