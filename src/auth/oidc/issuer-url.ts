import { isLoopbackHost } from '../../lib/loopback-host.ts';

/**
 * Returns the reason why a text cannot be the issuer of an OpenID Connect provider, as the end of a sentence;
 * `undefined` if the text can be an issuer. Only an issuer on this machine may use `http`: without TLS, everybody on
 * the network could sign in as anyone.
 */
export function issuerProblem(issuer: string): string | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || url.hostname === '') return 'must be a URL such as https://login.example.com';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    return 'must start with https:// (http:// is allowed only for localhost and loopback addresses)';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  if (issuer.includes('?') || issuer.includes('#')) return 'must not contain a query or a fragment';
  return undefined;
}
