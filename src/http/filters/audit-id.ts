import type { Filter } from '../exchange.ts';

/** Names the request in its answer, so that a client can be helped to find its audit line (rule HDR-01). */
export function auditId(): Filter {
  return async (exchange, next) => {
    const reply = await next();
    reply.headers['audit-id'] = exchange.auditId;
    return reply;
  };
}
