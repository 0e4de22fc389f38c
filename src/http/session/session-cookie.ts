import { accessKeyPrefix } from '../../api/naming.ts';
import type { IncomingRequest } from '../exchange.ts';
import { requestCookie } from './request-cookies.ts';

/**
 * The name of the session cookie. Because of the prefix `__Host-`, browsers accept the cookie only from this host, over
 * TLS, and for all paths.
 */
export const sessionCookieName = '__Host-flotilla-session';

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';
/** Matches the cookie values that this server sets, which are access keys. Other tokens are not accepted. */
const valuePattern = new RegExp(`^${accessKeyPrefix}[0-9A-Za-z]{1,128}$`);

/**
 * Returns the value of the session cookie. `undefined` if the request has two session cookies, because this server set
 * at most one of them.
 */
export function sessionCookieOf(request: IncomingRequest): string | undefined {
  const value = requestCookie(request, sessionCookieName);
  return value !== undefined && valuePattern.test(value) ? value : undefined;
}

export function sessionCookie(value: string, maxAgeSeconds: number): string {
  return `${sessionCookieName}=${value}; ${attributes}; Max-Age=${Math.max(0, Math.floor(maxAgeSeconds))}`;
}

/** The Set-Cookie header that deletes the session cookie. */
export const endedSessionCookie = `${sessionCookieName}=; ${attributes}; Max-Age=0`;
