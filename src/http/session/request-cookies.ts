import type { IncomingRequest } from '../exchange.ts';

/**
 * White space that may precede a cookie name. `trim` would also remove characters such as U+00A0. Browsers treat such a
 * character as part of the name, so a cookie whose name starts with it is not protected by the prefix `__Host-`.
 */
const leadingWhitespace = /^[ \t]+/;

/** Returns the cookies of a request whose names start with `prefix`, in the order in which the browser sent them. */
export function requestCookies(
  { headers: { cookie } }: Pick<IncomingRequest, 'headers'>,
  prefix: string,
): readonly { readonly name: string; readonly value: string }[] {
  if (cookie === undefined || !cookie.includes(prefix)) return [];
  return cookie
    .split(';')
    .map((pair) => pair.replace(leadingWhitespace, ''))
    .filter((pair) => pair.startsWith(prefix) && pair.includes('='))
    .map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) }));
}

/**
 * Returns the value of a cookie. `undefined` if the request has no cookie of this name, or several: this server set at
 * most one of several.
 */
export function requestCookie(request: Pick<IncomingRequest, 'headers'>, name: string): string | undefined {
  const found = requestCookies(request, name).filter((cookie) => cookie.name === name);
  return found.length === 1 ? found[0]?.value : undefined;
}
