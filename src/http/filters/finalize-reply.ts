import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Exchange, Filter } from '../exchange.ts';
import { isStream, type Reply } from '../reply.ts';
import { errorReplyFilter } from './recover.ts';
import { defaultWarningLimit, warningHeaders } from './warnings.ts';

export interface FinalizeReplyOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum number of Warning headers of a response. Optional; defaults to `defaultWarningLimit`. */
  readonly warningLimit?: number;
  /** Adds headers to every response. Optional. */
  addHeaders?(reply: Reply): void;
  /** Called once per response, including errors, with the duration from receipt to the finished reply. For metrics. */
  onComplete?(exchange: Exchange, reply: Reply, milliseconds: number): void;
}

/**
 * Turns errors of the inner filters into responses and adds the common headers: the audit ID (rule HDR-01),
 * `cache-control` unless the handler has set it (HDR-02), and each distinct warning (HDR-03). One filter does all of
 * this, because every filter adds cost to every request.
 */
export function finalizeReply(options: FinalizeReplyOptions): Filter {
  const { clock, log, warningLimit = defaultWarningLimit, addHeaders, onComplete } = options;
  return errorReplyFilter({
    log,
    finish(exchange, reply) {
      const { headers } = reply;
      if (exchange.warnings.length > 0) headers.warning = warningHeaders(exchange.warnings, warningLimit);
      headers['cache-control'] ??= 'no-cache, private';
      headers['audit-id'] = isStream(reply) ? flatText(exchange.auditId) : exchange.auditId;
      addHeaders?.(reply);
      onComplete?.(exchange, reply, clock.elapsed() - exchange.receivedElapsed);
    },
  });
}

/**
 * Returns a copy of a short ASCII text as one flat string. V8 stores a concatenated text as a tree of pieces: 450 bytes
 * for a UUID. Node keeps the response headers in memory during a whole watch.
 */
function flatText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
