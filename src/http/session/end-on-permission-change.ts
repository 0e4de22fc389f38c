import type { UserInfo } from '../../api/user-info.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Exchange, Handler } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { isLongRunning } from '../request/long-running.ts';
import { runWithAbortSignal } from '../request/with-signal.ts';

/** Ends a long-running request if the permissions of the caller, or of the impersonated user `as`, change. */
export function endOnPermissionChange(
  exchange: Exchange,
  identity: Identity,
  next: Handler,
  as?: UserInfo,
): Promise<Reply> {
  const rights = isLongRunning(exchange) ? identity.permissionSignal?.(as) : undefined;
  return rights === undefined ? next(exchange) : runWithAbortSignal(exchange, rights, next);
}
