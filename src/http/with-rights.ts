import type { UserInfo } from '../api/user-info.ts';
import type { Identity } from '../auth/identity.ts';
import type { Exchange, Handler } from './exchange.ts';
import { isLongRunning } from './long-running.ts';
import type { Reply } from './reply.ts';
import { withSignal } from './with-signal.ts';

/** Ends a long-running request when the permissions that allowed it change. `as` is the impersonated user. */
export function withRights(exchange: Exchange, identity: Identity, next: Handler, as?: UserInfo): Promise<Reply> {
  const rights = isLongRunning(exchange) ? identity.rights?.(as) : undefined;
  return rights === undefined ? next(exchange) : withSignal(exchange, rights, next);
}
