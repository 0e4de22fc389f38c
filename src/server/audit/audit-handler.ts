import { auditApiVersion, auditListKind, type UnsearchedReplica } from '../../api/audit/audit-event.ts';
import { type AuditQuery, readAuditQuery } from '../../api/audit/audit-query.ts';
import { timestamp } from '../../api/meta.ts';
import { badRequest } from '../../api/status.ts';
import type { AuditSearchOptions, AuditSearchResult } from '../../audit/search-audit-log.ts';
import type { Handler } from '../../http/exchange.ts';
import { negotiate } from '../../http/negotiate/negotiate.ts';
import { renderReply } from '../../http/negotiate/render.ts';

/** The result of one search request for a client. */
export interface AuditPage extends Omit<AuditSearchResult, 'positions'> {
  /** The replicas whose logs were not searched. Absent if the server does not share its store. */
  readonly incomplete?: readonly UnsearchedReplica[];
}

export type SearchAudit = (query: AuditQuery, options: AuditSearchOptions) => Promise<AuditPage>;

/** GET `/audit`: searches the audit log from the newest line backward. One request searches only part of a long log. */
export function auditHandler(search: SearchAudit): Handler {
  return async (exchange) => {
    const { request, query: parameters, signal } = exchange;
    const form = negotiate(request, parameters, { formats: ['json'] });
    const { query, problems } = readAuditQuery(parameters);
    if (problems.length > 0) throw badRequest(`the query is invalid: ${problems.join('; ')}`);
    const turn = exchange.nextTimeSlice ?? yieldToEventLoop;
    const reply = renderReply(listText(await search(query, { signal, yieldToEventLoop: turn })), 200, form);
    reply.headers['cache-control'] = 'no-store';
    return reply;
  };
}

/** Creates the response body. The found lines are already JSON and are copied unchanged. */
function listText({ lines, continue: next, oldestSearchedTime, incomplete = [] }: AuditPage): string {
  const metadata = {
    ...(next === undefined ? {} : { continue: next }),
    ...(oldestSearchedTime === undefined ? {} : { reached: timestamp(oldestSearchedTime) }),
    ...(incomplete.length === 0 ? {} : { incomplete }),
  };
  const [kind, apiVersion, meta] = [auditListKind, auditApiVersion, metadata].map((each) => JSON.stringify(each));
  return `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${meta},"items":[${lines.join(',')}]}`;
}

export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
