import { hash } from 'node:crypto';
import type { Exchange } from '../exchange.ts';
import { bearerTokenOf } from './bearer-token.ts';

/**
 * Returns a digest of the bearer token with which the caller authenticated. `undefined` if the caller used another
 * credential, or acts as another user by impersonation.
 */
export function ownTokenDigest({ request, identity, forwardedTokenDigest }: Exchange): string | undefined {
  if (forwardedTokenDigest !== undefined) return forwardedTokenDigest;
  if (identity === undefined || identity.impersonatedBy !== undefined) return undefined;
  const token = bearerTokenOf(request);
  return token === undefined ? undefined : digestOf(token);
}

/** True if the caller authenticated this request with the token. */
export function isOwnToken(exchange: Exchange, token: string): boolean {
  return ownTokenDigest(exchange) === digestOf(token);
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64');
}
