import { internalError, type Status, StatusError } from '../../api/status.ts';
import type { Feed } from '../../lib/feed.ts';
import type { WatchEvent, WatchOptions, WatchStream } from '../../registry/verbs.ts';
import type { Reply } from '../exchange.ts';
import { mediaTypes } from '../negotiate.ts';
import { readWatchOptions } from '../query-options.ts';
import { watchFrames } from '../watch-frames.ts';
import { answerForm, type Endpoint } from './endpoint.ts';

/** A list that goes on: the answer stands at once, and its lines follow as things happen (rule WATCH-01). */
export async function watch(endpoint: Endpoint, open: (options: WatchOptions) => Promise<WatchStream>): Promise<Reply> {
  const { exchange, kind } = endpoint;
  const form = answerForm(endpoint, 'watch');
  const stream = await open(readWatchOptions(exchange.query, kind, exchange.info.pathName));
  return {
    status: 200,
    headers: { 'content-type': form.format === 'protobuf' ? `${mediaTypes.protobuf};stream=watch` : mediaTypes.json },
    body: lines(endpoint, stream, watchFrames(form)),
  };
}

function lines(endpoint: Endpoint, stream: WatchStream, frame: (event: WatchEvent) => Uint8Array): Feed<Uint8Array> {
  let over = false;
  const last = (status: Status) => {
    over = true;
    stream.close();
    return frame({ type: 'ERROR', status });
  };
  return {
    take() {
      if (over) return undefined;
      try {
        const event = stream.take();
        if (event !== undefined) return frame(event);
        if (!stream.over) return undefined;
        over = true;
        const { reason } = endpoint.exchange.end;
        // Who is to list again is told so; a stream that just ends is taken up where it was.
        return reason instanceof StatusError ? last(reason.status) : undefined;
      } catch (error) {
        // The status line is long out; what goes wrong from here on is an event, and the last one (rule WATCH-36).
        return last(statusOf(endpoint, error));
      }
    },
    get over() {
      return over;
    },
    wait: (wake) => stream.wait(wake),
    close() {
      over = true;
      stream.close();
    },
  };
}

function statusOf(endpoint: Endpoint, error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  endpoint.settings.log.error({ err: error, auditId: endpoint.exchange.auditId }, 'watch failed');
  return internalError('the watch could not go on').status;
}
