import { StatusError } from '../api/status.ts';
import type { ApiResponse } from '../hosts/host.ts';
import type { RequestEnd } from '../http/request/request-end.ts';

const newline = 0x0a;

/**
 * Streams a watch of a remote cluster. If this server ends it, the last line is an ERROR event with the Status, as in
 * this server's own watches. Without that event the client would resume the watch, although it must list again or wake
 * a sleeping instance first.
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
