import type { Log } from '../../lib/log.ts';
import { errorReply } from '../error-reply.ts';
import type { Exchange, Filter } from '../exchange.ts';
import type { Reply } from '../reply.ts';

export interface RecoverOptions {
  readonly log: Log;
  /** Called for each reply, including error replies, after all completion listeners. Can add headers. Optional. */
  finish?(exchange: Exchange, reply: Reply): void;
}

/**
 * Turns errors of the inner filters into replies and notifies the completion listeners. Filters outside of this one
 * must not throw. A deadline can produce the reply before all work for the request has ended.
 */
export function errorReplyFilter({ log, finish }: RecoverOptions): Filter {
  return (exchange, next) =>
    new Promise<Reply>((resolve, reject) => {
      let isSettled = false;
      const settle = (reply: Reply, error?: unknown): void => {
        if (isSettled) return;
        isSettled = true;
        try {
          exchange.completion.complete(reply, error);
          finish?.(exchange, reply);
          resolve(reply);
        } catch (fault) {
          reject(fault);
        }
      };
      const fail = (error: unknown): void => {
        if (!isSettled) settle(errorReply(exchange.request, error, log, exchange.auditId), error);
      };
      exchange.completion.setErrorResponder(fail);
      try {
        next(exchange).then((reply) => settle(reply), fail);
      } catch (error) {
        fail(error);
      }
    });
}
