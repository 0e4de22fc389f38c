import type { ListOptions, ServedList } from '../../registry/verbs.ts';
import { readListOptions } from '../query-options.ts';
import type { Reply } from '../reply.ts';
import { listReply } from '../respond.ts';
import { answeredList } from './answered.ts';
import { answerForm, type Endpoint } from './endpoint.ts';

export async function list(endpoint: Endpoint, read: (options: ListOptions) => Promise<ServedList>): Promise<Reply> {
  const form = answerForm(endpoint, 'list');
  const options = readListOptions(endpoint.exchange.query, endpoint.kind);
  return listReply(answeredList(endpoint, await read(options)), form, endpoint.exchange);
}
