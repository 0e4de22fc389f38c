import { StatusError } from '../api/status.ts';
import type { ApiResponse } from '../hosts/host.ts';
import type { RequestEnd } from '../http/request/request-end.ts';
import { watchFormatOf } from './forward/watch-format.ts';

/** Maximum size of an incomplete event that is held back. The objects of Kubernetes are smaller. */
const maxHeldBytes = 8 * 1024 * 1024;

/**
 * Streams a watch of a remote cluster, and ends the stream so that the client can continue. If this server ends the
 * watch, the last event is an ERROR event with the Status, as in this server's own watches. Without that event, the
 * client would resume the watch, although it must list again or wake a sleeping instance first. If the connection to
 * the cluster or its tunnel is lost, the stream ends after the last complete event, and the client resumes the watch.
 */
export async function* endWatchWithStatus(response: ApiResponse, end: RequestEnd): AsyncGenerator<Uint8Array> {
  const format = watchFormatOf(response);
  if (format === undefined) {
    yield* response.body;
    return;
  }
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isBetweenEvents = true;
  try {
    for await (const chunk of response.body) {
      const eventEnd = format.completeBytes(chunk);
      const isTooLong = eventEnd === 0 && heldBytes + chunk.length > maxHeldBytes;
      const complete = isTooLong ? chunk.length : eventEnd;
      if (complete > 0) {
        const first = chunk.subarray(0, complete);
        yield held.length === 0 ? first : Buffer.concat([...held, first]);
        held = [];
        heldBytes = 0;
        isBetweenEvents = !isTooLong;
      }
      if (complete === chunk.length) continue;
      held.push(chunk.subarray(complete));
      heldBytes += chunk.length - complete;
    }
  } catch (error) {
    if (!isBetweenEvents) throw error;
    if (end.reason instanceof StatusError) {
      yield format.errorEvent({ ...end.reason.status });
      return;
    }
    if (end.hasEnded) throw error;
    return;
  }
  if (held.length > 0) yield Buffer.concat(held);
}
