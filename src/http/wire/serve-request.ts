import type { Log } from '../../lib/log.ts';
import { errorReply } from '../error-reply.ts';
import type { IncomingRequest } from '../exchange.ts';
import type { FairArrivals } from '../limits/fair-arrivals.ts';
import { isFeed, isProxied, isStream, isTakenOver, isUpgraded, type Reply } from '../reply.ts';
import type { RequestEnd } from '../request/request-end.ts';
import type { ListenLimits } from './listen-limits.ts';
import type { LiveConnections } from './live-connections.ts';
import type { PipelinedRequests } from './pipelined-requests.ts';
import { serveFeed } from './serve-feed.ts';
import type { StalledReaderMonitor } from './stalled-reader-monitor.ts';
import { type ResponseTarget, setConnectionHeaders, truncatedResponseError, writeReply } from './write-reply.ts';

/** The parts of a listener that are needed to serve requests. */
export interface ServingContext {
  readonly handler: (request: IncomingRequest) => Promise<Reply>;
  readonly log: Log;
  readonly limits: ListenLimits;
  readonly live: LiveConnections;
  readonly arrivals: FairArrivals;
  readonly stalledReaders: StalledReaderMonitor;
  readonly pipelinedRequests: PipelinedRequests;
}

/** The properties of a request that depend on its connection. */
interface ConnectionState {
  /** The connection; `undefined` if it was already closed when the request arrived. */
  readonly connection: object | undefined;
  readonly end: RequestEnd;
  /** Throws a StatusError if the request must be rejected before its path is examined. */
  check(): void;
  /** True if the client has disconnected. */
  isGone(): boolean;
  /** True if the connection must be closed after the response. */
  readonly isLast: boolean;
  /** Called after the response has been written or the client has disconnected. */
  done(): void;
}

/**
 * The reason with which each request ends. All requests share one error object, because creating a stack trace is
 * expensive.
 */
export const requestEndedError = new Error('the request has ended');

/** Serves a request, now or after other requests that have arrived at the same time. Never throws. */
export function serveRequest(
  context: ServingContext,
  request: IncomingRequest,
  response: ResponseTarget,
  state: ConnectionState,
): void {
  const { connection, end } = state;
  context.arrivals.add({
    source: request.headers.authorization ?? connection,
    end,
    begin: () => void respond(context, request, response, state),
    abandon: () => state.done(),
  });
}

/** Calls the handler and writes its response, or an error response if the handler throws. Never throws. */
async function respond(
  context: ServingContext,
  request: IncomingRequest,
  response: ResponseTarget,
  { end, check, isGone, isLast, done }: ConnectionState,
): Promise<void> {
  const { handler, log, live, stalledReaders } = context;
  try {
    let reply: Reply;
    try {
      check();
      reply = await handler(request);
    } catch (error) {
      reply = errorReply(request, error, log);
    }
    const closing = live.draining || isLast;
    if (isStream(reply) && isFeed(reply.body) && request.method !== 'HEAD') {
      setConnectionHeaders(request, reply, closing);
      serveFeed(context, response, { ...reply, body: reply.body }, { end, isGone, done });
      return;
    }
    await writeDrainableReply(live, end, reply, () =>
      writeReply(request, response, reply, { stalledReaders: stalledReaders, closing, isGone }),
    );
  } catch (error) {
    log.error({ err: error }, 'failed to write the response');
    response.destroy(truncatedResponseError);
  }
  done();
}

/** Writes a response. A long-running response is registered, so that a shutdown can end it. */
export function writeDrainableReply(
  live: LiveConnections,
  end: RequestEnd,
  reply: Reply,
  write: () => Promise<void>,
): Promise<void> {
  const isLongRunning =
    isStream(reply) || isUpgraded(reply) || isTakenOver(reply) || (isProxied(reply) && reply.body.isLongRunning);
  return isLongRunning ? writeLongRunning(live, end, write) : write();
}

async function writeLongRunning(live: LiveConnections, end: RequestEnd, write: () => Promise<void>): Promise<void> {
  const streamEnded = live.streamBegan(end);
  try {
    await write();
  } finally {
    streamEnded();
  }
}
