import type { Feed } from '../../lib/feed.ts';
import {
  type Exchange,
  type Filter,
  type IncomingRequest,
  isFeed,
  isPassed,
  isPieced,
  isStream,
  isUpgraded,
  type Reply,
} from '../exchange.ts';
import type { Plane } from '../plane.ts';
import type { Metrics } from './create-metrics.ts';
import { RequestLabeller, type RequestLabels } from './request-labels.ts';

/** Refused to protect the server, or given up: too many, no time, not ready. */
const terminatedCodes = new Set([429, 503, 504]);

interface RequestObserverOptions {
  readonly metrics: Metrics;
  /** The control plane that the request is for; undefined: its path lies in none. */
  planeOf(exchange: Exchange): Plane | undefined;
}

/** Counts answers, errors among them: what the chain calls `onComplete`. A stream is counted while it runs. */
export function requestObserver({ metrics, planeOf }: RequestObserverOptions) {
  const labeller = new RequestLabeller();
  return (exchange: Exchange, reply: Reply, milliseconds: number): void => {
    const labels = labeller.label(exchange, planeOf(exchange));
    // It is sent as bytes, and to count them takes as long as to make them.
    if (typeof reply.body === 'string') reply.body = Buffer.from(reply.body);
    metrics.answered(labels, reply.status, milliseconds / 1000, sizeOf(reply));
    if (terminatedCodes.has(reply.status)) metrics.terminated(labels, reply.status);
    if (hasLeft(exchange.request)) metrics.aborted(labels);
    if (isPieced(reply)) {
      reply.body = { pieces: measured(reply.body.pieces, (bytes) => metrics.sent(labels, bytes)) };
      return;
    }
    if (isPassed(reply)) {
      const { passed, lasts } = reply.body;
      const began = () => (lasts ? metrics.longRunning(labels) : () => {});
      reply.body = { passed: passing(passed, began, (bytes) => metrics.sent(labels, bytes)), lasts };
      return;
    }
    if (isUpgraded(reply)) {
      const ended = metrics.longRunning(labels);
      reply.body.socket.once('close', () => ended());
      return;
    }
    if (!isStream(reply)) return;
    const { body } = reply;
    reply.body = isFeed(body) ? countedFeed(body, labels, metrics) : counted(body, labels, metrics);
  };
}

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Puts a count around the filter that bounds what is at work: what waits for its turn is not at work yet. */
export function countInFlight(metrics: Metrics, bound: Filter): Filter {
  return (exchange, next) =>
    bound(exchange, async () => {
      const landed = metrics.inFlight(readMethods.has(exchange.request.method) ? 'readOnly' : 'mutating');
      try {
        return await next();
      } finally {
        landed();
      }
    });
}

/** Passes a stream on and counts what goes by; the stream is open from the moment it is read. */
async function* counted(
  stream: AsyncIterable<string>,
  labels: RequestLabels,
  metrics: Metrics,
): AsyncGenerator<string, void, undefined> {
  const ended = metrics.longRunning(labels);
  try {
    yield* stream;
  } finally {
    ended();
  }
}

/** The same for a watch, where each line is an event. */
function countedFeed(feed: Feed<Uint8Array>, labels: RequestLabels, metrics: Metrics): Feed<Uint8Array> {
  let ended: (() => void) | undefined;
  return {
    take() {
      ended ??= metrics.longRunning(labels);
      const line = feed.take();
      if (line !== undefined) metrics.watchEvent(labels, line.length);
      else if (feed.over) ended();
      return line;
    },
    get over() {
      return feed.over;
    },
    wait: (wake) => feed.wait(wake),
    close() {
      feed.close();
      ended?.();
    },
  };
}

/** Tells how much it was when it is over, whichever way it ends. */
function* measured(pieces: Iterable<Uint8Array>, tell: (bytes: number) => void): Generator<Uint8Array> {
  let bytes = 0;
  try {
    for (const piece of pieces) {
      bytes += piece.byteLength;
      yield piece;
    }
  } finally {
    tell(bytes);
  }
}

async function* passing(
  chunks: AsyncIterable<Uint8Array>,
  began: () => () => void,
  tell: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const ended = began();
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  } finally {
    tell(bytes);
    ended();
  }
}

function sizeOf({ body }: Reply): number | undefined {
  if (body === undefined) return 0;
  return body instanceof Uint8Array ? body.length : undefined;
}

/** Does not ask for the signal where that would have to be made. */
function hasLeft(request: IncomingRequest): boolean {
  return request.end?.isOver ?? request.signal.aborted;
}
