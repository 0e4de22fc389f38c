import { unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Exchange } from '../exchange.ts';

/** Returns the caller. The authentication filter always sets one; in a chain without it, this throws 401. */
export function callerOf(exchange: Exchange): Identity {
  if (exchange.identity === undefined) throw unauthorized();
  return exchange.identity;
}

/** The key by which requests are rate limited and queued fairly: the access key if there is one, else the user. */
export function flowKeyOf({ accessKey, fairQueueKey, user }: Identity): string {
  return accessKey ?? fairQueueKey ?? user.name;
}
