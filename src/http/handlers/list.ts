import type { ListOptions, ServedList } from '../../registry/verbs.ts';
import { listReply } from '../negotiate/object-reply.ts';
import type { Reply } from '../reply.ts';
import { readListOptions } from '../request/query-options.ts';
import { setAuditedListResponse } from './audit-response.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';

export async function list(endpoint: Endpoint, read: (options: ListOptions) => Promise<ServedList>): Promise<Reply> {
  const form = negotiateResponseForm(endpoint, 'list');
  const options = readListOptions(endpoint.exchange.query, endpoint.kind);
  return listReply(setAuditedListResponse(endpoint, await read(options)), form, endpoint.exchange);
}
