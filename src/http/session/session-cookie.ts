import { accessKeyPrefix } from '../../api/naming.ts';
import type { IncomingRequest } from '../exchange.ts';

/**
 * The name of the session cookie. With the prefix `__Host-`, browsers reject it from a subdomain, from a page without
 * TLS, or with a narrower path.
 */
export const sessionCookieName = '__Host-flotilla-session';

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';
/** The values that this server sets: an access key that it created, and never a token of another type. */
const valuePattern = new RegExp(`^${accessKeyPrefix}[0-9A-Za-z]{1,128}$`);

/**
 * The only separators before a cookie name. With other whitespace in front (U+00A0, which `trim` removes too), browsers
 * treat it as another name, without the `__Host-` protection against subdomains.
 */
const leadingWhitespace = /^[ \t]+/;

/**
 * The value of the session cookie. `undefined` if it is sent twice, because one of them is then not from this server.
 */
export function sessionCookieOf({ headers: { cookie } }: IncomingRequest): string | undefined {
  if (cookie === undefined || !cookie.includes(sessionCookieName)) return undefined;
  const prefix = `${sessionCookieName}=`;
  const found = cookie
    .split(';')
    .map((pair) => pair.replace(leadingWhitespace, ''))
    .filter((pair) => pair.startsWith(prefix));
  const value = found[0]?.slice(prefix.length) ?? '';
  return found.length === 1 && valuePattern.test(value) ? value : undefined;
}

export function sessionCookie(value: string, maxAgeSeconds: number): string {
  return `${sessionCookieName}=${value}; ${attributes}; Max-Age=${Math.max(0, Math.floor(maxAgeSeconds))}`;
}

/** A cookie header that deletes the session cookie. */
export const endedSessionCookie = `${sessionCookieName}=; ${attributes}; Max-Age=0`;
