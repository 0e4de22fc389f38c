import { internalError, StatusError } from '../../api/status.ts';
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
  const stream = await open(readWatchOptions(exchange.url.searchParams, kind, exchange.info.pathName));
  return {
    status: 200,
    headers: { 'content-type': mediaTypes.json },
    body: lines(endpoint, stream, watchFrames(form)),
  };
}

async function* lines(
  endpoint: Endpoint,
  stream: WatchStream,
  frame: (event: WatchEvent) => string,
): AsyncGenerator<string> {
  try {
    for await (const event of stream) yield frame(event);
  } catch (error) {
    // The status line is long out; what goes wrong from here on is an event, and the last one (rule WATCH-36).
    yield frame({ type: 'ERROR', status: statusOf(endpoint, error) });
  }
}

function statusOf(endpoint: Endpoint, error: unknown) {
  if (error instanceof StatusError) return error.status;
  endpoint.settings.log.error({ err: error, auditId: endpoint.exchange.auditId }, 'watch failed');
  return internalError('the watch could not go on').status;
}
