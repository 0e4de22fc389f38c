import { badRequest } from '../../api/status.ts';
import type { GetOptions, ServedObject } from '../../registry/verbs.ts';
import { objectReply } from '../negotiate/object-reply.ts';
import type { Reply } from '../reply.ts';
import { queryFlag } from '../request/query-flag.ts';
import { readGetOptions } from '../request/query-options.ts';
import { setAuditedResponse } from './audit-response.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';

/** Serves GET of one object or of one of its subresources. */
export async function get(endpoint: Endpoint, read: (options: GetOptions) => Promise<ServedObject>): Promise<Reply> {
  const query = endpoint.exchange.query;
  const form = negotiateResponseForm(endpoint, 'object');
  if (queryFlag(query, 'export') === true) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  return objectReply(setAuditedResponse(endpoint, await read(readGetOptions(query))), 200, form);
}
