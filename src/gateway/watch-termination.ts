import { StatusError } from '../api/status.ts';
import type { ApiResponse } from '../hosts/host.ts';
import type { RequestEnd } from '../http/request/request-end.ts';

const newline = 0x0a;
/** Maximum size of an incomplete line that is held back. The objects of Kubernetes are smaller. */
const maxHeldBytes = 8 * 1024 * 1024;

/**
 * Streams a watch of a remote cluster, and ends it so that the client can continue. If this server ends the watch, the last
 * line is an ERROR event with the Status, as in this server's own watches. Without that event the client would resume the
 * watch, although it must list again or wake a sleeping instance first. If the connection to the cluster or its tunnel is
 * lost, the stream ends after the last complete line, and the client resumes the watch.
 */
export async function* endWatchWithStatus(response: ApiResponse, end: RequestEnd): AsyncGenerator<Uint8Array> {
  const isJson = /^application\/json\b/.test(String(response.headers['content-type'] ?? ''));
  const isCompressed = response.headers['content-encoding'] !== undefined;
  if (!isJson || isCompressed) {
    yield* response.body;
    return;
  }
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isBetweenLines = true;
  try {
    for await (const chunk of response.body) {
      const lineEnd = chunk.lastIndexOf(newline) + 1;
      const isTooLong = lineEnd === 0 && heldBytes + chunk.length > maxHeldBytes;
      const complete = isTooLong ? chunk.length : lineEnd;
      if (complete > 0) {
        const first = chunk.subarray(0, complete);
        yield held.length === 0 ? first : Buffer.concat([...held, first]);
        held = [];
        heldBytes = 0;
        isBetweenLines = !isTooLong;
      }
      if (complete === chunk.length) continue;
      held.push(chunk.subarray(complete));
      heldBytes += chunk.length - complete;
    }
  } catch (error) {
    if (!isBetweenLines) throw error;
    if (end.reason instanceof StatusError) {
      yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: end.reason.status })}\n`);
      return;
    }
    if (end.hasEnded) throw error;
    return;
  }
  if (held.length > 0) yield Buffer.concat(held);
}
