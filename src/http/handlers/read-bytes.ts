import type { ForwardedResponse } from '../../registry/verbs.ts';
import type { Reply } from '../reply.ts';
import { isLongRunning } from '../request/long-running.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Serves GET of a byte stream that another server produces, such as a container log. Releases the in-flight slot of the
 * request first, because the other server does the work.
 */
export async function readByteStream(
  { exchange }: Endpoint,
  read: (query: URLSearchParams) => Promise<ForwardedResponse>,
): Promise<Reply> {
  exchange.inFlightSlot?.release();
  const { status, headers, body } = await read(exchange.query);
  if (status === 204) return { status, headers: {} };
  const type = headers['content-type'];
  return {
    status,
    headers: { 'content-type': typeof type === 'string' ? type : 'text/plain', 'x-content-type-options': 'nosniff' },
    body: { upstream: body, isLongRunning: isLongRunning(exchange) },
  };
}
