import { StatusError } from '../api/status.ts';
import type { ApiResponse } from '../hosts/host.ts';
import type { RequestEnd } from '../http/request/request-end.ts';

const newline = 0x0a;

/**
 * Ends a remote cluster's watch with an ERROR event, as this server's own watches do. A client that must list again, or
 * that must wake a sleeping instance, would otherwise resume a stream that just ends.
 */
export async function* endWatchWithStatus(response: ApiResponse, end: RequestEnd): AsyncGenerator<Uint8Array> {
  const isJson = /^application\/json\b/.test(String(response.headers['content-type'] ?? ''));
  const isCompressed = response.headers['content-encoding'] !== undefined;
  let isBetweenLines = isJson && !isCompressed;
  try {
    for await (const chunk of response.body) {
      if (isJson && !isCompressed) isBetweenLines = chunk.at(-1) === newline;
      yield chunk;
    }
  } catch (error) {
    if (!isBetweenLines || !(end.reason instanceof StatusError)) throw error;
    yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: end.reason.status })}\n`);
  }
}
