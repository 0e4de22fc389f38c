import { unauthorized } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { Exchange } from './exchange.ts';

/** Who asks. Behind the authentication filter there is always somebody; a chain without it lets nobody through. */
export function callerOf(exchange: Exchange): Identity {
  if (exchange.identity === undefined) throw unauthorized();
  return exchange.identity;
}

/** Whose share of the server a request comes out of: the access key's, or that of whoever comes without one. */
export function shareOf({ accessKey, countedAs, user }: Identity): string {
  return accessKey ?? countedAs ?? user.name;
}
