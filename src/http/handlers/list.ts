import type { ListOptions, ServedList } from '../../registry/verbs.ts';
import type { Reply } from '../exchange.ts';
import { readListOptions } from '../query-options.ts';
import { listReply } from '../respond.ts';
import { answerForm, type Endpoint } from './endpoint.ts';

export async function list(endpoint: Endpoint, read: (options: ListOptions) => Promise<ServedList>): Promise<Reply> {
  const form = answerForm(endpoint, 'list');
  const options = readListOptions(endpoint.exchange.url.searchParams, endpoint.kind);
  return listReply(await read(options), form);
}
