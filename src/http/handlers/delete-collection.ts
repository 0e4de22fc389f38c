import type { DeleteOptions, ListOptions, ServedList } from '../../registry/verbs.ts';
import { readListOptions } from '../query-options.ts';
import type { Reply } from '../reply.ts';
import { listReply } from '../respond.ts';
import { answeredList } from './answered.ts';
import { sentDeleteOptions } from './delete.ts';
import { answerForm, type Endpoint } from './endpoint.ts';

/** DELETE of all objects that the selectors match; returns their list (rule DELCOL-02). */
export async function deleteCollection(
  endpoint: Endpoint,
  remove: (list: ListOptions, options: DeleteOptions) => Promise<ServedList>,
): Promise<Reply> {
  const form = answerForm(endpoint, 'list');
  const listed = readListOptions(endpoint.exchange.query, endpoint.kind);
  const { options } = await sentDeleteOptions(endpoint, true);
  return listReply(answeredList(endpoint, await remove(listed, options)), form, endpoint.exchange);
}
