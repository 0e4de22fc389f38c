import type { DeleteOptions, ListOptions, ServedList } from '../../registry/verbs.ts';
import { listReply } from '../negotiate/object-reply.ts';
import type { Reply } from '../reply.ts';
import { readListOptions } from '../request/query-options.ts';
import { setAuditedListResponse } from './audit-response.ts';
import { readDeleteOptions } from './delete.ts';
import { type Endpoint, negotiateResponseForm } from './endpoint.ts';

/** Serves DELETE of all objects that match the selectors. Returns the list of deleted objects (rule DELCOL-02). */
export async function deleteCollection(
  endpoint: Endpoint,
  remove: (list: ListOptions, options: DeleteOptions) => Promise<ServedList>,
): Promise<Reply> {
  const form = negotiateResponseForm(endpoint, 'list');
  const listed = readListOptions(endpoint.exchange.query, endpoint.kind);
  const { options } = await readDeleteOptions(endpoint, true);
  return listReply(setAuditedListResponse(endpoint, await remove(listed, options)), form, endpoint.exchange);
}
