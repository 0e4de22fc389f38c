import type { UserInfo } from '../api/user-info.ts';
import type { Identity } from '../auth/identity.ts';
import type { Exchange, Handler, Reply } from './exchange.ts';
import { isLongRunning } from './long-running.ts';
import { withSignal } from './with-signal.ts';

/** What lasts ends with the rights that it was allowed by; `as` is whom the caller acts as. */
export function withRights(exchange: Exchange, identity: Identity, next: Handler, as?: UserInfo): Promise<Reply> {
  const rights = isLongRunning(exchange) ? identity.rights?.(as) : undefined;
  return rights === undefined ? next(exchange) : withSignal(exchange, rights, next);
}
