import { badRequest } from '../../api/status.ts';
import type { GetOptions, ServedObject } from '../../registry/verbs.ts';
import { parseAccept } from '../negotiate/media-type.ts';
import { objectReply } from '../negotiate/object-reply.ts';
import type { Reply } from '../reply.ts';
import { queryFlag } from '../request/query-flag.ts';
import { readGetOptions } from '../request/query-options.ts';
import { setAuditedResponse } from './audit-response.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';

/** Serves GET of one object or of one of its subresources. */
export async function get(endpoint: Endpoint, read: (options: GetOptions) => Promise<ServedObject>): Promise<Reply> {
  const query = endpoint.exchange.query;
  if (wantsCsv(endpoint)) return csvReply(endpoint, await read(readGetOptions(query)));
  const form = negotiateResponseForm(endpoint, 'object');
  if (queryFlag(query, 'export') === true) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  return objectReply(setAuditedResponse(endpoint, await read(readGetOptions(query))), 200, form);
}

/** True if the resource serves CSV and the client requests CSV, with `Accept: text/csv` or with `format=csv`. */
function wantsCsv({ exchange, mounted, subresource }: Endpoint): boolean {
  if ((subresource ?? mounted).servesCsv !== true) return false;
  const [preferred] = parseAccept(exchange.request.headers.accept ?? '');
  return exchange.query.get('format') === 'csv' || (preferred?.type === 'text' && preferred.subtype === 'csv');
}

function csvReply(endpoint: Endpoint, served: ServedObject): Reply {
  const body = setAuditedResponse(endpoint, served).csv?.() ?? '';
  const { pathName, resource } = endpoint.exchange.info;
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="usage-${resource}-${pathName}.csv"`,
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}
