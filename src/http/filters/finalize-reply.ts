import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Exchange, Filter } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { recover } from './recover.ts';
import { warningHeaders } from './warnings.ts';

export interface FinalizeReplyOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Adds headers to every response. Optional. */
  addHeaders?(reply: Reply): void;
  /** Called for each response, including errors, with the time until the reply was ready. For metrics. */
  onComplete?(exchange: Exchange, reply: Reply, milliseconds: number): void;
}

/**
 * Turns the result of the inner filters, including errors, into a reply and adds the common headers: the audit ID
 * (rule HDR-01), no caching unless the handler sets another policy (HDR-02), and each distinct warning (HDR-03). One
 * filter does all of this, because each filter costs every request.
 */
export function finalizeReply(options: FinalizeReplyOptions): Filter {
  const { clock, log, addHeaders, onComplete } = options;
  return recover({
    log,
    finish(exchange, reply) {
      const { headers } = reply;
      if (exchange.warnings.length > 0) headers.warning = warningHeaders(exchange.warnings);
      headers['cache-control'] ??= 'no-cache, private';
      headers['audit-id'] = exchange.auditId;
      addHeaders?.(reply);
      onComplete?.(exchange, reply, clock.elapsed() - exchange.receivedElapsed);
    },
  });
}
