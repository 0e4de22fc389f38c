import type { Log } from '../../lib/log.ts';
import { errorReply } from '../error-reply.ts';
import type { IncomingRequest } from '../exchange.ts';
import { isProxied, isStream, isUpgraded, type Reply } from '../reply.ts';
import type { RequestEnd } from '../request/request-end.ts';
import type { ListenLimits } from './listen-limits.ts';
import type { LiveConnections } from './live-connections.ts';
import type { PipelinedRequests } from './pipelined-requests.ts';
import type { StalledReaderMonitor } from './stalled-reader-monitor.ts';
import { type ResponseTarget, truncatedResponse, writeReply } from './write-reply.ts';

/** The parts of a listener that serve its requests. */
export interface ServingContext {
  readonly handler: (request: IncomingRequest) => Promise<Reply>;
  readonly log: Log;
  readonly limits: ListenLimits;
  readonly live: LiveConnections;
  readonly stalled: StalledReaderMonitor;
  readonly order: PipelinedRequests;
}

/** The connection-related state of a request. */
interface ConnectionState {
  readonly end: RequestEnd;
  /** Throws a StatusError if the request must be rejected, whatever its path. */
  check(): void;
  /** True if the client has disconnected. */
  isGone(): boolean;
  /** True if no further request is read from the connection. */
  readonly isLast: boolean;
  /** Called when the response is written or the client has disconnected. */
  done(): void;
}

/** The abort reason at the end of every request. Created once, see `drainReason`. */
export const requestEnded = new Error('the request has ended');

/** Passes a request to the handler and writes the response. Never throws. */
export async function serveRequest(
  context: ServingContext,
  request: IncomingRequest,
  response: ResponseTarget,
  { end, check, isGone, isLast, done }: ConnectionState,
): Promise<void> {
  const { handler, log, live, stalled } = context;
  try {
    let reply: Reply;
    try {
      check();
      reply = await handler(request);
    } catch (error) {
      reply = errorReply(request, error, log);
    }
    const closing = live.draining || isLast;
    await writeTracked(live, end, reply, () =>
      writeReply(request, response, reply, { stalledReaders: stalled, closing, isGone }),
    );
  } catch (error) {
    log.error({ err: error }, 'failed to write the response');
    response.destroy(truncatedResponse);
  }
  done();
}

/** Writes a response; a drain can end it if it is long-running. */
export function writeTracked(
  live: LiveConnections,
  end: RequestEnd,
  reply: Reply,
  write: () => Promise<void>,
): Promise<void> {
  const isLongRunning = isStream(reply) || isUpgraded(reply) || (isProxied(reply) && reply.body.isLongRunning);
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
