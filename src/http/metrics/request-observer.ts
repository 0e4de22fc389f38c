import type { Feed } from '../../lib/feed.ts';
import {
  type Exchange,
  type Filter,
  type IncomingRequest,
  isFeed,
  isPieced,
  isStream,
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
    metrics.answered(labels, reply.status, milliseconds / 1000, sizeOf(reply));
    if (terminatedCodes.has(reply.status)) metrics.terminated(labels, reply.status);
    if (hasLeft(exchange.request)) metrics.aborted(labels);
    if (isPieced(reply)) {
      reply.body = { pieces: measured(reply.body.pieces, (bytes) => metrics.sent(labels, bytes)) };
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

function sizeOf({ body }: Reply): number | undefined {
  if (body === undefined) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.length : undefined;
}

/** Does not ask for the signal where that would have to be made. */
function hasLeft(request: IncomingRequest): boolean {
  return request.end?.isOver ?? request.signal.aborted;
}
