import { auditApiVersion, auditListKind } from '../api/audit/audit-event.ts';
import { readAuditQuery } from '../api/audit/audit-query.ts';
import { timestamp } from '../api/meta.ts';
import { badRequest } from '../api/status.ts';
import type { LogPlace } from '../audit/log-files.ts';
import { type AuditFindings, searchAuditLog } from '../audit/search-audit-log.ts';
import type { Handler } from '../http/exchange.ts';
import { negotiate } from '../http/negotiate.ts';
import { render } from '../http/render.ts';

/** GET `/audit`: what the audit log holds, newest first, as far as one request looks back. */
export function auditHandler(place: LogPlace): Handler {
  return async (exchange) => {
    const { request, query: search, signal } = exchange;
    const form = negotiate(request, search, { formats: ['json'] });
    const { query, problems } = readAuditQuery(search);
    if (problems.length > 0) throw badRequest(`the query is not valid: ${problems.join('; ')}`);
    const turn = exchange.turn ?? nextTurn;
    const reply = render(listText(await searchAuditLog(place, query, { signal, turn })), 200, form);
    reply.headers['cache-control'] = 'no-store';
    return reply;
  };
}

/** The lines are JSON already, and stand in the answer as they stand in the log. */
function listText({ lines, continue: next, reached }: AuditFindings): string {
  const metadata = {
    ...(next === undefined ? {} : { continue: next }),
    ...(reached === undefined ? {} : { reached: timestamp(reached) }),
  };
  const [kind, apiVersion, meta] = [auditListKind, auditApiVersion, metadata].map((each) => JSON.stringify(each));
  return `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${meta},"items":[${lines.join(',')}]}`;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
