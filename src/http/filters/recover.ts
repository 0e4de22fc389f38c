import type { Log } from '../../lib/log.ts';
import { errorReply } from '../error-reply.ts';
import type { Exchange, Filter, Reply } from '../exchange.ts';

export interface RecoverOptions {
  readonly log: Log;
  /** The last word on each answer, those to errors too. */
  finish?(exchange: Exchange, reply: Reply): void;
}

/**
 * Turns whatever is thrown further in into an answer, and tells whoever follows the settlement. Outside of it nothing
 * throws; inside, everything may. The answer can also stand before all is done that was begun for it.
 */
export function recover({ log, finish }: RecoverOptions): Filter {
  return (exchange, next) =>
    new Promise<Reply>((resolve, reject) => {
      let isSettled = false;
      const settle = (reply: Reply, error?: unknown): void => {
        if (isSettled) return;
        isSettled = true;
        try {
          exchange.settlement.settle(reply, error);
          finish?.(exchange, reply);
          resolve(reply);
        } catch (fault) {
          reject(fault);
        }
      };
      const fail = (error: unknown): void => {
        if (!isSettled) settle(errorReply(exchange.request, error, log, exchange.auditId), error);
      };
      exchange.settlement.begin(fail);
      try {
        next(exchange).then((reply) => settle(reply), fail);
      } catch (error) {
        fail(error);
      }
    });
}
