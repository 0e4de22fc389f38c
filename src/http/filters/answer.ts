import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Exchange, Filter, Reply } from '../exchange.ts';
import { recover } from './recover.ts';
import { warningHeaders } from './warnings.ts';

export interface AnswerOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Puts on what answers carry here besides. Absent: nothing. */
  adorn?(reply: Reply): void;
  /** Told of each answer, errors included, and how long it took until it stood: for metrics. */
  onComplete?(exchange: Exchange, reply: Reply, milliseconds: number): void;
}

/**
 * Makes an answer of whatever comes from further in, also of what is thrown there, and puts on what every answer carries:
 * the id by which its audit line is found (rule HDR-01), that it is for this caller and now, unless the handler says
 * otherwise (HDR-02), and the warnings, each once (HDR-03). One filter for all of it, as each costs every request.
 */
export function answer(options: AnswerOptions): Filter {
  const { clock, log, adorn, onComplete } = options;
  return recover({
    log,
    finish(exchange, reply) {
      const { headers } = reply;
      if (exchange.warnings.length > 0) headers.warning = warningHeaders(exchange.warnings);
      headers['cache-control'] ??= 'no-cache, private';
      headers['audit-id'] = exchange.auditId;
      adorn?.(reply);
      onComplete?.(exchange, reply, clock.elapsed() - exchange.began);
    },
  });
}
