import { accessKeyPrefix } from '../api/naming.ts';
import type { IncomingRequest } from './exchange.ts';

/**
 * The cookie of a browser's session. `__Host-`: no browser takes it from a subdomain, from a page without TLS or for a
 * part of the paths only.
 */
export const sessionCookieName = '__Host-flotilla-session';

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';
/** What this server puts into it: an access key of its own making, and never a token of another sort. */
const valueForm = new RegExp(`^${accessKeyPrefix}[0-9A-Za-z]{1,128}$`);

/**
 * What stands between cookies, and nothing else: with a blank of another sort in front (U+00A0, which `trim` takes away too)
 * it is another name to browsers, which they take from a subdomain as well.
 */
const blanksBefore = /^[ \t]+/;

/** The value of the session's cookie. Where it is there twice, one of them is somebody else's: then there is none. */
export function sessionCookieOf({ headers: { cookie } }: IncomingRequest): string | undefined {
  if (cookie === undefined || !cookie.includes(sessionCookieName)) return undefined;
  const beginning = `${sessionCookieName}=`;
  const found = cookie
    .split(';')
    .map((pair) => pair.replace(blanksBefore, ''))
    .filter((pair) => pair.startsWith(beginning));
  const value = found[0]?.slice(beginning.length) ?? '';
  return found.length === 1 && valueForm.test(value) ? value : undefined;
}

export function sessionCookie(value: string, maxAgeSeconds: number): string {
  return `${sessionCookieName}=${value}; ${attributes}; Max-Age=${Math.max(0, Math.floor(maxAgeSeconds))}`;
}

/** Has the browser forget it. */
export const endedSessionCookie = `${sessionCookieName}=; ${attributes}; Max-Age=0`;
