import type { UnsearchedReplica } from '../../api/audit/audit-event.ts';
import { type AuditQuery, maxAuditLimit, readAuditQuery } from '../../api/audit/audit-query.ts';
import { badRequest, serviceUnavailable } from '../../api/status.ts';
import { csvHeader, csvLine } from '../../audit/export/audit-csv.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { type AuditPage, type SearchAudit, yieldToEventLoop } from './audit-handler.ts';

const formats = {
  jsonl: { type: 'application/x-ndjson', header: '', lineOf: (line: string) => `${line}\n` },
  csv: { type: 'text/csv; charset=utf-8; header=present', header: csvHeader, lineOf: csvLine },
} as const;

interface ExportRequest {
  readonly query: AuditQuery;
  readonly format: (typeof formats)[keyof typeof formats];
  readonly extension: string;
  /** True if the caller accepts that lines of unavailable replicas are missing. */
  readonly allowIncomplete: boolean;
}

/**
 * GET `/audit/export`: returns all lines that match, newest first, as JSON lines or CSV. The response is generated page by
 * page, as fast as the client reads. If the log of a replica becomes unavailable, the connection ends before the response
 * is complete.
 */
export function exportHandler(search: SearchAudit): Handler {
  return async (exchange) => {
    const asked = readExportRequest(exchange.query);
    const turn = exchange.nextTimeSlice ?? yieldToEventLoop;
    const searchPage = (query: AuditQuery) => search(query, { signal: exchange.signal, yieldToEventLoop: turn });
    const first = await searchPage(asked.query);
    if (!asked.allowIncomplete) assertComplete(first);
    const name = `audit-${new Date(exchange.receivedAt).toISOString().slice(0, 10)}.${asked.extension}`;
    const reply: Reply = {
      status: 200,
      headers: {
        'content-type': asked.format.type,
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
      },
      body: exchange.request.method === 'HEAD' ? '' : exportPages(asked, first, { exchange, searchPage }),
    };
    return reply;
  };
}

interface PageSource {
  readonly exchange: Exchange;
  searchPage(query: AuditQuery): Promise<AuditPage>;
}

async function* exportPages(
  { query, format, allowIncomplete }: ExportRequest,
  first: AuditPage,
  { exchange, searchPage }: PageSource,
): AsyncGenerator<string> {
  if (format.header !== '') yield format.header;
  for (let page = first; ; ) {
    exchange.signal.throwIfAborted();
    if (!allowIncomplete) assertComplete(page);
    const text = page.lines.map(format.lineOf).join('');
    if (text !== '') yield text;
    if (page.continue === undefined) return;
    page = await searchPage({ ...query, continue: page.continue });
  }
}

/** Parses the query string. It has the parameters of a search, without `limit` and `continue`. Throws 400. */
function readExportRequest(parameters: URLSearchParams): ExportRequest {
  const rest = new URLSearchParams(parameters);
  const own = (name: string, values: readonly string[]): string => {
    const given = rest.getAll(name).filter((value) => value !== '');
    rest.delete(name);
    const [value = values[0] ?? '', ...others] = given;
    if (others.length > 0 || !values.includes(value)) problems.push(`${name} must be one of ${values.join(', ')}`);
    return value;
  };
  const problems: string[] = [];
  const extension = own('format', Object.keys(formats));
  const allowIncomplete = own('allowIncomplete', ['false', 'true']) === 'true';
  for (const name of ['limit', 'continue']) {
    if (rest.has(name)) problems.push(`${name} is not a parameter of an export, which returns all lines`);
    rest.delete(name);
  }
  const read = readAuditQuery(rest);
  problems.push(...read.problems);
  if (problems.length > 0) throw badRequest(`the query is invalid: ${problems.join('; ')}`);
  const format = formats[extension as keyof typeof formats];
  return { query: { ...read.query, limit: maxAuditLimit }, format, extension, allowIncomplete };
}

function assertComplete({ incomplete = [] }: AuditPage): void {
  if (incomplete.length === 0) return;
  const reasons = incomplete.map(({ replica, reason }: UnsearchedReplica) => `replica ${replica}: ${reason}`);
  throw serviceUnavailable(
    `the export would not be complete: ${reasons.join('; ')}; set allowIncomplete=true to export the other logs`,
  );
}
