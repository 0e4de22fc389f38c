/** The maximum length of a path in characters. A longer path would not fit into the cookie of a pending sign-in. */
const maxLength = 1024;

/**
 * Returns `wanted`, the path to which a browser goes after a sign-in, if the path is certainly on this server;
 * otherwise `/`. Browsers treat `//host` and `/\host` as another host, and ignore tabs and line breaks.
 */
export function returnPath(wanted: string | null | undefined): string {
  if (wanted === null || wanted === undefined || wanted.length > maxLength) return '/';
  const isLocal = /^\/(?![/\\])[^\\\s\p{Cc}\u2028\u2029]*$/u.test(wanted);
  const origin = 'https://this-server.invalid';
  return isLocal && URL.canParse(wanted, origin) && new URL(wanted, origin).origin === origin ? wanted : '/';
}
