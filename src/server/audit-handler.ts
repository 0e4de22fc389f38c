import { auditApiVersion, auditListKind } from '../api/audit/audit-event.ts';
import { readAuditQuery } from '../api/audit/audit-query.ts';
import { timestamp } from '../api/meta.ts';
import { badRequest } from '../api/status.ts';
import type { AuditLogLocation } from '../audit/log-files.ts';
import { type AuditSearchResult, searchAuditLog } from '../audit/search-audit-log.ts';
import type { Handler } from '../http/exchange.ts';
import { negotiate } from '../http/negotiate/negotiate.ts';
import { renderReply } from '../http/negotiate/render.ts';

/** GET `/audit`: searches the audit log from the newest line backward. One request searches only part of a long log. */
export function auditHandler(location: AuditLogLocation): Handler {
  return async (exchange) => {
    const { request, query: search, signal } = exchange;
    const form = negotiate(request, search, { formats: ['json'] });
    const { query, problems } = readAuditQuery(search);
    if (problems.length > 0) throw badRequest(`the query is invalid: ${problems.join('; ')}`);
    const turn = exchange.nextTimeSlice ?? yieldToEventLoop;
    const reply = renderReply(
      listText(await searchAuditLog(location, query, { signal, yieldToEventLoop: turn })),
      200,
      form,
    );
    reply.headers['cache-control'] = 'no-store';
    return reply;
  };
}

/** Creates the response body. The found lines are already JSON and are copied unchanged. */
function listText({ lines, continue: next, oldestSearchedTime }: AuditSearchResult): string {
  const metadata = {
    ...(next === undefined ? {} : { continue: next }),
    ...(oldestSearchedTime === undefined ? {} : { reached: timestamp(oldestSearchedTime) }),
  };
  const [kind, apiVersion, meta] = [auditListKind, auditApiVersion, metadata].map((each) => JSON.stringify(each));
  return `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${meta},"items":[${lines.join(',')}]}`;
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
