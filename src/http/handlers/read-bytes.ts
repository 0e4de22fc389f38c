import type { ServedBytes } from '../../registry/verbs.ts';
import type { Reply } from '../exchange.ts';
import { isLongRunning } from '../long-running.ts';
import type { Endpoint } from './endpoint.ts';

/** GET of what is no object and comes from elsewhere: nothing of it is kept, and nobody waits in line behind it. */
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
