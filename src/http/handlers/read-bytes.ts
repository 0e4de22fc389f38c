import type { ServedBytes } from '../../registry/verbs.ts';
import { isLongRunning } from '../long-running.ts';
import type { Reply } from '../reply.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * GET of a byte stream from elsewhere, such as a log. The request releases its in-flight slot, and nothing is stored.
 */
export async function readBytes(
  { exchange }: Endpoint,
  read: (query: URLSearchParams) => Promise<ServedBytes>,
): Promise<Reply> {
  exchange.place?.handOver();
  const { status, headers, body } = await read(exchange.query);
  const type = headers['content-type'];
  return {
    status,
    headers: { 'content-type': typeof type === 'string' ? type : 'text/plain', 'x-content-type-options': 'nosniff' },
    body: { passed: body, lasts: isLongRunning(exchange) },
  };
}
