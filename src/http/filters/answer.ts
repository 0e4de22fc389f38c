import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { errorReply } from '../error-reply.ts';
import type { Exchange, Filter, Reply } from '../exchange.ts';
import { warningHeaders } from './warnings.ts';

export interface AnswerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Told of each answer, errors included, and how long it took until it stood: for metrics. */
  onComplete?(exchange: Exchange, reply: Reply, milliseconds: number): void;
}

/**
 * Makes an answer of whatever comes from further in, also of what is thrown there, and puts on what every answer carries:
 * the id by which its audit line is found (rule HDR-01), that it is for this caller and now, unless the handler says
 * otherwise (HDR-02), and the warnings, each once (HDR-03). One filter for all of it, as each costs every request.
 */
export function answer(options: AnswerOptions): Filter {
  const { clock, log, onComplete } = options;
  return async (exchange, next) => {
    const began = clock.elapsed();
    let reply: Reply;
    try {
      reply = await next();
    } catch (error) {
      reply = errorReply(exchange.request, error, log, exchange.auditId);
    }
    const { headers } = reply;
    if (exchange.warnings.length > 0) headers.warning = warningHeaders(exchange.warnings);
    headers['cache-control'] ??= 'no-cache, private';
    headers['audit-id'] = exchange.auditId;
    onComplete?.(exchange, reply, clock.elapsed() - began);
    return reply;
  };
}
