import { tooManyRequests } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import { callerOf } from '../caller.ts';
import type { Exchange, Filter } from '../exchange.ts';
import { FairSlots } from '../fair-slots.ts';

export interface InFlightOptions {
  readonly clock: Clock;
  readonly reads?: number;
  readonly writes?: number;
  /** How long one waits for a slot before it is told to come again. */
  readonly waitMilliseconds?: number;
}

const reading = new Set(['get', 'list', 'watch', 'head', 'options']);

/**
 * Bounds how much is at work at a time, reads and writes apart, in fair shares between keys. A slot is given back when
 * the answer stands: a watch is not counted once it has started (completions §10).
 */
export function inFlight(options: InFlightOptions): Filter {
  const slots = (count: number) =>
    new FairSlots({
      slots: count,
      queue: count,
      waitMilliseconds: options.waitMilliseconds ?? 1000,
      clock: options.clock,
    });
  const reads = slots(options.reads ?? 400);
  const writes = slots(options.writes ?? 200);
  return async (exchange, next) => {
    const caller = callerOf(exchange);
    // The server's own work must go on when clients have filled it up, or it could never catch up.
    if (caller.system) return await next();
    const pool = isRead(exchange) ? reads : writes;
    const release = await pool.acquire(caller.accessKey ?? caller.user.name, exchange.signal);
    if (release === undefined) throw tooManyRequests('Too many requests, please try again later.', 1);
    try {
      return await next();
    } finally {
      release();
    }
  };
}

function isRead({ info }: Exchange): boolean {
  return reading.has(info.verb);
}
