import type { Filter } from '../exchange.ts';

/** Answers are for this caller, now, unless the handler says otherwise (rule HDR-02). */
export function cacheControl(): Filter {
  return async (_exchange, next) => {
    const reply = await next();
    reply.headers['cache-control'] ??= 'no-cache, private';
    return reply;
  };
}
