import { badRequest } from '../../api/status.ts';
import type { GetOptions, Served } from '../../registry/verbs.ts';
import { queryFlag } from '../query-flag.ts';
import { readGetOptions } from '../query-options.ts';
import type { Reply } from '../reply.ts';
import { objectReply } from '../respond.ts';
import { answered } from './answered.ts';
import { answerForm, type Endpoint } from './endpoint.ts';

/** GET of one object, or of one of its subresources. */
export async function get(endpoint: Endpoint, read: (options: GetOptions) => Promise<Served>): Promise<Reply> {
  const query = endpoint.exchange.query;
  const form = answerForm(endpoint, 'object');
  if (queryFlag(query, 'export') === true) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  return objectReply(answered(endpoint, await read(readGetOptions(query))), 200, form);
}
