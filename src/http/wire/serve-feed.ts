import type { Feed } from '../../lib/feed.ts';
import type { Log } from '../../lib/log.ts';
import type { Reply } from '../reply.ts';
import type { RequestEnd } from '../request/request-end.ts';
import type { LiveConnections } from './live-connections.ts';
import type { StalledReaderMonitor } from './stalled-reader-monitor.ts';
import { writeFeed } from './write-feed.ts';
import { type ResponseTarget, ResponseWriter, truncatedResponseError } from './write-reply.ts';

/** The parts of a listener that are needed to write a feed. */
interface FeedContext {
  readonly log: Log;
  readonly live: LiveConnections;
  readonly stalledReaders: StalledReaderMonitor;
}

/** A client's request for a feed, such as a watch. */
interface FeedRequest {
  readonly end: RequestEnd;
  /** True if the client has disconnected. */
  isGone(): boolean;
  /** Called after the feed has been written or the client has disconnected. */
  done(): void;
}

/**
 * Writes a feed, such as the events of a watch, until its end or until the client disconnects. Never throws. This
 * function is not async, and no async function awaits the end of the feed: each async function would keep hundreds of
 * bytes and the whole request in memory during the watch.
 */
export function serveFeed(
  { log, live, stalledReaders }: FeedContext,
  response: ResponseTarget,
  { status, headers, body: feed }: Reply & { readonly body: Feed<Uint8Array> },
  { end, isGone, done }: FeedRequest,
): void {
  const writer = new ResponseWriter(response, isGone);
  const streamEnded = live.streamBegan(end);
  const stopWatching = stalledReaders.watch(response, () => writer.bytesWritten);
  const finish = () => {
    feed.close();
    stopWatching();
    streamEnded();
    done();
  };
  const fail = (error: unknown) => {
    log.error({ err: error }, 'failed to write the response');
    response.destroy(truncatedResponseError);
    finish();
  };
  if (isGone()) {
    finish();
    return;
  }
  try {
    response.writeHead(status, headers);
    // Send the headers now: they show the client that its watch has started, even if there is no event yet (rule
    // WATCH-01).
    response.flushHeaders();
    writeFeed(writer, feed)
      .then(() => writer.end())
      .then(finish, fail);
  } catch (error) {
    fail(error);
  }
}
