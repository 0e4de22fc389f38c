import type { Log } from '../../lib/log.ts';
import { errorReply } from '../error-reply.ts';
import type { Filter } from '../exchange.ts';

/** Turns whatever is thrown further in into an answer. Outside of it nothing throws; inside, everything may. */
export function recover(options: { readonly log: Log }): Filter {
  return async (exchange, next) => {
    try {
      return await next();
    } catch (error) {
      return errorReply(exchange.request, error, options.log, exchange.auditId);
    }
  };
}
