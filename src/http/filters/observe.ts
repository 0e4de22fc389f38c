import type { Clock } from '../../lib/clock.ts';
import type { Exchange, Filter, Reply } from '../exchange.ts';

export interface ObserveOptions {
  readonly clock: Clock;
  onComplete?(exchange: Exchange, reply: Reply, milliseconds: number): void;
}

/** Tells metrics of each answer, errors included, and how long it took until it stood. */
export function observe(options: ObserveOptions): Filter {
  return async (exchange, next) => {
    const began = options.clock.elapsed();
    const reply = await next();
    options.onComplete?.(exchange, reply, options.clock.elapsed() - began);
    return reply;
  };
}
